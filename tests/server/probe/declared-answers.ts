/** Compares each answer of a deployment, as it arrives, with what its profile declares. Its body is not kept. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { feedContractOf } from '../../feed/feed-contract.ts';
import { judgeFeed } from '../../feed/judge.ts';
import type { Mismatch } from '../support/contract.ts';
import type { ExpectedAnswer, Profile } from '../support/declared.ts';
import { isSuccessStatus, type Response } from '../support/evidence.ts';
import type { Parsed } from '../support/json.ts';
import type { HttpRequest, HttpResponse } from './http.ts';

/** Adds the comparison to the record of an answer. */
export type Compare = (
  request: Pick<HttpRequest, 'method'> & { path: string },
  answer: HttpResponse,
  parsed: Parsed,
) => Pick<Response, 'declared' | 'feed'>;

export function createCompare(profile: Profile): Compare {
  const known = made.get(profile) ?? makeCompare(profile);
  made.set(profile, known);
  return known;
}

/** Schemas take long to compile, so each profile is compiled once. */
const made = new WeakMap<Profile, Compare>();

function makeCompare(profile: Profile): Compare {
  const misfit = createMisfit(profile);
  const feed = feedContractOf(profile.document);
  const headers = new Ajv2020({ strict: false, logger: false });

  const ofHeaders = (expected: ExpectedAnswer, answer: HttpResponse): Mismatch[] =>
    expected.headers.flatMap(({ name, schema }) => {
      // Several lines of one name are one list (RFC 9110 section 5.3).
      const lines = answer.headers.filter(([one]) => one === name).map(([, line]) => line);
      const value = lines.length === 0 ? undefined : lines.join(', ');
      const pointer = `the header ${name}`;
      if (value === undefined) return [{ pointer, keyword: 'required', message: 'is there' }];
      if (headers.validate(schema, value)) return [];
      const { keyword = '', params = {}, message = 'is another one' } = headers.errors?.[0] ?? {};
      // The message of Ajv does not name the constant.
      const text = keyword === 'const' ? `is ${JSON.stringify(params.allowedValue)}` : message;
      return [{ pointer, keyword: 'schema', message: text }];
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
        return [{ pointer: '', keyword: 'maxLength', message: 'is empty' }];
      if (!parsed.wellFormed) return [];
      const value = isFeed ? withoutRecords(parsed.value, feed.listPath) : parsed.value;
      return schemas.flatMap((schema) => misfit(schema, value));
    };
    const mismatches = expected.map((one) => [one.when, [...ofHeaders(one, answer), ...ofBody(one)]]);
    return {
      ...(expected.length > 0 && { declared: { mismatches: Object.fromEntries(mismatches) } }),
      ...(isFeed && parsed.wellFormed && { feed: judgeFeed(parsed.value, feed, { nowMs: timeOf(answer) }) }),
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
  const date = Date.parse(headers.find(([name]) => name === 'date')?.[1] ?? '');
  return Number.isNaN(date) ? Date.now() : date;
}

// The schemas of a profile's answers, compiled with Ajv: in which ways a body is another one than declared.

/** The most differences that are reported of one body. */
const MOST = 20;

/** Empty where the body is as the schema at `pointer` of the merged contract has it. */
export type Misfit = (pointer: string, body: unknown) => Mismatch[];

export function createMisfit({ document }: Profile): Misfit {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, body) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).slice(0, MOST).map(({ instancePath, keyword, message = '', params }) => ({
      pointer: instancePath,
      keyword,
      message: `${message}${'additionalProperty' in params ? `: ${params.additionalProperty}` : ''}`.slice(
        0,
        200,
      ),
    }));
  };
}
