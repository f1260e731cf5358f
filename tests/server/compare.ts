/** How an answer of a deployment compares with what a profile declares. */
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { feedContractOf } from '../feed/feed-contract.ts';
import { judgeFeed } from '../feed/reader.ts';
import { createAjv } from '../support/own-schema.ts';
import { fieldNamed } from '../traffic/exchange.ts';
import type { HttpRequest, HttpResponse } from './probe/http.ts';
import type { ExpectedAnswer, Profile } from './profile.ts';
import { type Mismatch, mismatchOf } from './support/contract.ts';
import { isSuccessStatus, type Response } from './support/evidence.ts';
import type { Parsed } from './support/json.ts';

/** Adds the comparison to the record of an answer. */
export type Compare = (
  request: Pick<HttpRequest, 'method'> & { path: string },
  answer: HttpResponse,
  parsed: Parsed,
) => Pick<Response, 'declared' | 'feed'>;

const made = new WeakMap<Profile, Compare>();

/** Schemas take long to compile, so each profile is compiled once. */
export function createCompare(profile: Profile): Compare {
  const compare = made.get(profile) ?? makeCompare(profile);
  made.set(profile, compare);
  return compare;
}

/** The most differences that are reported of one body. */
const MOST_MISMATCHES = 20;

function makeCompare(profile: Profile): Compare {
  const feed = feedContractOf(profile.document);
  const ajv = createAjv({ strict: false, logger: false });
  // A header is text, also where its schema is that of a number.
  const ofText = createAjv({ strict: false, logger: false, coerceTypes: true });
  ajv.addSchema(profile.document, 'contract');
  const compiled = new Map<string, ValidateFunction>();

  /** Empty where the body is as the schema at `pointer` of the merged contract has it. */
  function misfit(pointer: string, body: unknown): Mismatch[] {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    return validate(body) ? [] : (validate.errors ?? []).slice(0, MOST_MISMATCHES).map(mismatchOf);
  }

  const ofHeaders = (expected: ExpectedAnswer, answer: HttpResponse): Mismatch[] =>
    expected.headers.flatMap(({ name, schema }) => {
      // Several lines of one name are one list (RFC 9110 section 5.3).
      const lines = answer.headers.filter(([one]) => one === name).map(([, line]) => line);
      const value = lines.length === 0 ? undefined : lines.join(', ');
      const pointer = `the header ${name}`;
      if (value === undefined)
        return [{ pointer, keyword: 'required', expected: `that ${pointer} is there` }];
      if (ofText.validate(schema, value)) return [];
      const { keyword, params, message = 'differs' } = ofText.errors?.[0] ?? {};
      // The message of Ajv does not name the constant.
      const text = keyword === 'const' ? `is ${JSON.stringify(params?.allowedValue)}` : message;
      return [{ pointer, keyword: 'schema', expected: `that ${pointer} ${text}` }];
    });

  return ({ method, path }, answer, parsed) => {
    const operation = profile.operations.find((one) => one.method === method && one.path === path);
    if (!operation) return {};
    const expected = profile.answers.filter(
      (one) => one.operation === operation.id && one.status === answer.status,
    );
    const isData = operation.id === 'readData' && isSuccessStatus(answer.status);
    const isFeed = isData && feed !== undefined;
    const ofBody = ({ schemas, empty }: ExpectedAnswer): Mismatch[] => {
      if (empty && answer.body.length > 0)
        return [{ pointer: '', keyword: 'maxLength', expected: 'an empty body' }];
      if (!parsed.wellFormed) return [];
      const value = isFeed ? withoutRecords(parsed.value, feed.listPath) : parsed.value;
      return schemas.flatMap((schema) => misfit(schema, value));
    };
    const mismatches = expected.map((one) => [one.when, [...ofHeaders(one, answer), ...ofBody(one)]]);
    return {
      ...(expected.length > 0 && { declared: { mismatches: Object.fromEntries(mismatches) } }),
      ...(isFeed &&
        parsed.wellFormed && {
          feed: judgeFeed(answer.body, feed, { nowMs: timeOf(answer), withDigests: true }),
        }),
    };
  };
}

/** Only the envelope: the judge of feeds judges the records. A body without a list is unchanged. */
function withoutRecords(value: unknown, [name, ...below]: readonly string[]): unknown {
  if (name === undefined) return Array.isArray(value) ? [] : value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return value;
  const member = (value as Record<string, unknown>)[name];
  return { ...value, [name]: withoutRecords(member, below) };
}

/** The deployment's own time, by which it chose what to send (RFC 9110 section 6.6.1); without it, ours. */
function timeOf({ headers }: HttpResponse): number {
  const date = Date.parse(fieldNamed(headers, 'date') ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}
