/** What a run saw of the open points, as the draft of a profile: an OpenAPI Overlay of the contract. */
import { STATUS_CODES } from 'node:http';
import { pointerSegments } from '@hyperjump/json-pointer';
import { stringify } from 'yaml';
import { harmless, mergeShapes, sampleOf, schemaOf } from '../probe/body-shape.ts';
import {
  answersIn,
  at,
  type ExpectedAnswer,
  type Operation,
  offersTokens,
  operationsIn,
  type Profile,
  probesFor,
} from '../profile.ts';
import {
  type Answered,
  type Evidence,
  exchanges,
  inWords,
  isAnswered,
  isSuccess,
  type Probe,
} from '../support/evidence.ts';
import { isJsonMediaType } from '../support/json.ts';

/** A part of an OpenAPI document or an overlay. */
type Node = Record<string, unknown>;

/** A statement on an open point, with what was seen of it. */
export interface Drafted {
  /** Id of the open point. */
  answers: string;
  statement: string;
  /** Number of times. */
  seen: number;
  requests: string[];
}

/** The conditions that open points leave to a deployment, each with its point and its request as the start of a sentence. */
const CONDITIONS = [
  ['readData', 'valid-token', 'MRS-4.2g', 'A request for the data'],
  ['readData', 'missing-token', 'MRS-7e', 'A request without a token'],
  ['readData', 'malformed-token', 'MRS-7f', 'A bearer header without a token'],
  ['readData', 'unknown-token', 'MRS-7f', 'A token that was never issued'],
  ['readData', 'expired-token', 'MRS-7c', 'An expired token'],
  ['obtainToken', 'wrong-credentials', 'MRS-7g', 'A form with wrong credentials'],
  ['obtainToken', 'malformed-request', 'MRS-7d', 'A form that lacks a field'],
  ['obtainToken', 'other-grant-type', 'MRS-7d', 'A form with another grant_type'],
  ['obtainToken', 'rate-limited', 'MRS-8a', 'A client that asks too often'],
  ['readData', 'rate-limited', 'MRS-8a', 'A client that asks for the data too often'],
].map(([operation = '', when = '', answers = '', what = '']) => ({ operation, when, answers, what }));

type Condition = (typeof CONDITIONS)[number];

/** An answer that was seen to a condition, each time in the same way. */
interface SeenAnswer extends Drafted {
  operation: string;
  when: string;
  status: number;
  /** Undefined where there is no body, or its type is not known. */
  mediaType: string | undefined;
  /** Its place in the overlay, without the declaration. */
  described: Node;
}

export interface Draft {
  /** Absent where enough was seen; otherwise why not, as a sentence. */
  tooLittle?: string;
  overlay: Node;
  drafted: Drafted[];
  /** What was seen and is not drafted, with the reason as a sentence. */
  left: { answers: string; reason: string }[];
}

export interface DraftInput {
  evidence: Evidence;
  /** The contract that the draft is about: openapi.yaml, with what the profile of the run declares. */
  document: Node;
  profile?: Profile | undefined;
  /** The profile of the run, by the name or the file that the draft can find it under. */
  buildsOn?: string | undefined;
}

const HEADER = `# A draft of a profile: what one run saw of this deployment where the specification is open.
# Read each statement, ask the operator whether it is meant so, and take out what is chance. A seen: 1 was seen once.
`;

/** A draft as the file that a person reads and edits. */
export const writeDraft = ({ overlay }: Draft): string =>
  HEADER + stringify(overlay, { lineWidth: 0, aliasDuplicateObjects: false });

/** Never throws: what cannot be drafted is left, with the reason. */
export function draftProfile({ evidence, document, profile, buildsOn }: DraftInput): Draft {
  const operations = operationsIn(document);
  const observed = evidence.target.baseUrl;
  const on = evidence.startedAt.slice(0, 10);
  const declared = new Set(profile?.declarations.map(({ answers }) => answers));
  const left: Draft['left'] = [];
  const leave = (answers: string, reason: string): [] => {
    left.push({ answers, reason });
    return [];
  };
  const seen = CONDITIONS.filter(
    ({ answers, operation }) => !declared.has(answers) && operations.some(({ id }) => id === operation),
  ).flatMap((condition) => {
    const answer = answerTo(condition, operations, evidence);
    return typeof answer === 'string' ? leave(condition.answers, answer) : (answer ?? []);
  });
  const withSource = ({ answers, statement, seen, requests }: Drafted): Node => ({
    'x-declared': { answers, statement, source: `observed at ${observed} on ${on}` },
    'x-evidence': { seen, requests },
  });
  const health = declared.has('MRS-4.3c')
    ? { drafted: [], actions: [] }
    : healthChecks(evidence, operations, leave, withSource);
  const lifetime = declared.has('MRS-5e') ? undefined : lifetimeIn(evidence);
  const tooLittle = whyTooLittle(evidence);
  const actions = [
    { target: '$', update: { 'x-draft': { observed, on } } },
    ...operations.flatMap((operation) => {
      const own = seen.filter((one) => one.operation === operation.id);
      return own.length === 0 ? [] : actionsFor(operation, own, document, withSource);
    }),
    ...health.actions,
    ...(lifetime
      ? [
          {
            target: '$.components.securitySchemes.accessToken',
            update: { 'x-token-lifetime-seconds': lifetime.seconds, ...withSource(lifetime) },
          },
        ]
      : []),
  ];
  return {
    ...(tooLittle !== undefined && { tooLittle }),
    overlay: {
      overlay: '1.0.0',
      info: { title: `Draft: what ${observed} showed`, version: on },
      ...(buildsOn !== undefined && { 'x-builds-on': buildsOn }),
      actions,
    },
    drafted: [...seen, ...health.drafted, ...(lifetime ? [lifetime] : [])],
    left,
  };
}

/** As a text, the reason to leave it; undefined if the run sent no request that meets the condition. */
function answerTo(
  condition: Condition,
  operations: Operation[],
  evidence: Evidence,
): SeenAnswer | string | undefined {
  const { operation, when, what } = condition;
  const own = operations.find(({ id }) => id === operation);
  const probes: Probe[] =
    when === 'rate-limited'
      ? exchanges(evidence).filter(
          ({ request, response }) =>
            response?.status === 429 && request.path === own?.path && request.method === own.method,
        )
      : probesFor({ operation, when, status: 0 }, { operations }, evidence);
  const seen = probes.filter(isAnswered).filter((one) => when !== 'valid-token' || isSuccess(one));
  if (seen.length === 0) return probes.flatMap((probe) => ('notSent' in probe ? [probe.notSent] : []))[0];
  return reasonToLeave(condition, seen) ?? describe(condition, what, seen);
}

/** Why answers do not belong in a draft, as a sentence. */
function reasonToLeave({ when, what }: Condition, seen: Answered[]): string | undefined {
  const ways = [...new Set(seen.map((one) => inWords({ ...one, what: '' }).slice(2)))];
  const summary = `${what} was answered with ${ways.join('; ')}`;
  if (ways.length > 1) return `${summary}: the answers differ.`;
  const [{ response }] = seen as [Answered];
  const { status, mediaType, json, bodyBytes } = response;
  if (when === 'rate-limited') return undefined;
  if ([408, 429].includes(status) || status >= 500) return `${summary}, which may be a passing fault.`;
  if (when === 'valid-token') {
    const isJson = json.wellFormed && isJsonMediaType(mediaType) && bodyBytes > 0;
    return status === 204 || isJson ? undefined : `${summary}, which is not JSON.`;
  }
  if (when === 'expired-token' && status !== 403) return `${summary}, where the specification states 403.`;
  return status < 300 ? `${summary}, which a client can take for a success.` : undefined;
}

/** What all the answers to a condition have in common. */
function describe(
  { operation, when, answers }: Pick<Condition, 'operation' | 'when' | 'answers'>,
  what: string,
  seen: Answered[],
): SeenAnswer {
  const [first] = seen as [Answered];
  const { status, bodyBytes, mediaType: type = '' } = first.response;
  const hasBody = bodyBytes > 0;
  const mediaType = hasBody && /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type) ? type : undefined;
  const shapes = seen.map(({ response }) => response.shape).filter((one) => one !== undefined);
  const isKnown = hasBody && shapes.length === seen.length && isJsonMediaType(mediaType);
  const shape = isKnown ? mergeShapes(shapes) : undefined;
  const headers = headersOf(seen);
  const asks = {
    ...(headers.length > 0 && {
      headers: Object.fromEntries(headers.map(({ name, schema }) => [name, { schema }])),
    }),
    ...(shape && { schema: schemaOf(shape) }),
    ...(!hasBody && { body: false }),
  };
  const names = (shape?.required ?? []).map((name) => name.slice(0, 40));
  const some = names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  const members = some.length > 0 ? ` with ${listed(some)}` : '';
  const body = hasBody ? (mediaType ?? 'a body of unknown type') + members : 'no body';
  const also = headers.length > 0 ? `, and ${listed(headers.map(({ words }) => words))}` : '';
  return {
    ...{ operation, when, status, answers, mediaType },
    statement: `${what} is answered with ${status}, ${body}${also}.`,
    seen: seen.length,
    requests: [...new Set(seen.map((one) => one.what))],
    described: {
      'x-response-when': when,
      ...(headers.length > 0 && {
        'x-headers': Object.fromEntries(headers.map(({ name, served }) => [name, served])),
      }),
      ...(Object.keys(asks).length > 0 && { 'x-asks': asks }),
      ...(mediaType !== undefined && {
        // No page that was seen, which could run scripts in a browser.
        value: shape ? sampleOf(shape, when === 'valid-token') : 'A placeholder for a text that was seen.',
      }),
    },
  };
}

/** Those that mean something to a client, by their names as they are written. */
const TELLING = ['WWW-Authenticate', 'Allow', 'Cache-Control', 'Retry-After', 'Location'];
/** Their values vary: only their presence can be required. */
const VARYING = ['Retry-After', 'Location'];

/** The headers that each answer had: as a mock serves them, as they are required, and in words. */
function headersOf(seen: Answered[]): { name: string; served: string; schema: Node; words: string }[] {
  return TELLING.flatMap((name) => {
    const values = seen.map(({ response }) =>
      response.headers
        .filter(([one]) => one === name.toLowerCase())
        .map(([, value]) => value)
        .join(', '),
    );
    const [value = ''] = values;
    if (values.some((one) => !/^[\x20-\x7e]{1,200}$/.test(one))) return [];
    if (VARYING.includes(name)) {
      const served = name === 'Location' ? harmless(value.replace(/[?#].*/, '')) : '1';
      return [{ name, served, schema: {}, words: name }];
    }
    if (values.every((one) => one === value) && harmless(value) === value.trim())
      return [{ name, served: value, schema: { const: value }, words: `${name}: ${value}` }];
    const scheme = /^[A-Za-z]+\b/.exec(value)?.[0];
    if (name !== 'WWW-Authenticate' || !scheme || !values.every((one) => one.startsWith(scheme))) return [];
    return [{ name, served: scheme, schema: { pattern: `^${scheme}\\b` }, words: `${name}: ${scheme}` }];
  });
}

type WithSource = (one: Drafted) => Node;

/**
 * Puts seen answers into the place of those that the contract assumes. Each status that an answer leaves or comes to is
 * written anew, since an overlay can merge and remove, and not replace.
 */
function actionsFor(
  { id, pointer }: Operation,
  seen: SeenAnswer[],
  document: Node,
  withSource: WithSource,
): Node[] {
  const base = at(document, `${pointer}/responses`) as Record<string, Node>;
  const before = answersIn(document).filter(({ operation }) => operation === id);
  const isSeen = ({ when }: ExpectedAnswer) => seen.some((one) => one.when === when);
  const statuses = Object.keys(base).filter((status) =>
    [...seen, ...before.filter(isSeen)].some((one) => one.status === Number(status)),
  );
  const next: Node = {};
  for (const status of statuses) {
    const kept = before.filter((one) => one.status === Number(status) && !isSeen(one));
    const given = base[status] as Node;
    const { description, headers, content, ...others } = (
      typeof given.$ref === 'string' ? at(document, given.$ref.slice(1)) : given
    ) as Node;
    const {
      'x-without-body': _,
      'x-response-when': when,
      'x-headers': own,
      'x-asks': asks,
      ...rest
    } = others;
    if (kept.length > 0) next[status] = { description, ...rest };
    else if (seen.some((one) => one.status === Number(status))) next[status] = { description };
    // The headers of all answers are said of each that stays, since those that come to it have others.
    const served = Object.entries((headers ?? {}) as Record<string, { example?: unknown }>)
      .filter(([, { example }]) => example !== undefined)
      .map(([name, { example }]) => [name, String(example)]);
    for (const { pointers, ...answer } of kept) {
      const place = pointers.at(-1) ?? '';
      const described =
        place === pointers[0]
          ? { 'x-response-when': when, 'x-headers': own, 'x-asks': asks }
          : (at(document, place) as Node);
      const all = { ...Object.fromEntries(served), ...(described['x-headers'] as Node) };
      const media = (content as Record<string, Node> | undefined)?.[answer.mediaType ?? ''];
      put(next, answer, { ...described, ...(Object.keys(all).length > 0 && { 'x-headers': all }) }, media);
    }
  }
  for (const one of seen) put(next, one, { ...one.described, ...withSource(one) });
  const path = [...pointerSegments(pointer)].map((name) =>
    /^[a-z]+$/i.test(name) ? `.${name}` : `['${name}']`,
  );
  const target = `$${path.join('')}.responses`;
  return [
    ...statuses.map((status) => ({ target: `${target}['${status}']`, remove: true })),
    { target, update: next },
  ];
}

/** Adds an answer to the responses of an operation, with the schema that `like` has. */
function put(
  responses: Node,
  { status, mediaType, when }: Pick<ExpectedAnswer, 'status' | 'when'> & { mediaType?: string | undefined },
  { value, ...described }: Node,
  like: Node = {},
): void {
  const response = (responses[status] ?? { description: STATUS_CODES[status] ?? 'An answer.' }) as Node;
  responses[status] = response;
  if (mediaType === undefined) {
    response['x-without-body'] = { ...(response['x-without-body'] as Node), [when]: described };
    return;
  }
  const content = (response.content ?? {}) as Record<string, Node>;
  const { examples, ...media } = content[mediaType] ?? { schema: like.schema ?? {} };
  content[mediaType] = { ...media, examples: { ...(examples as Node), [when]: { ...described, value } } };
  response.content = content;
}

/** The health checks that answered with success, as statements and as one action that has their paths. */
function healthChecks(
  { health }: Evidence,
  operations: Operation[],
  leave: (answers: string, reason: string) => void,
  withSource: WithSource,
): { drafted: Drafted[]; actions: Node[] } {
  const paths: Record<string, Node> = {};
  const drafted: Drafted[] = [];
  for (const plain of health.map((one) => one.plain).filter(isAnswered)) {
    const { method, path } = plain.request;
    if (!isSuccess(plain) || !/^\/[\w./~-]+$/.test(path) || ['/token/', '/ods_data/'].includes(path)) {
      leave('MRS-4.3c', `${inWords(plain)}. Only a 2xx answer at a plain path is drafted.`);
      continue;
    }
    const stated = (answers: string, statement: string): Drafted => ({
      ...{ answers, statement, seen: 1, requests: [plain.what] },
    });
    const place = stated('MRS-4.3c', `There is a health check at ${path}.`);
    const how = stated('MRS-4.3d', `The health check at ${path} answers ${method}.`);
    const condition = { operation: 'checkHealth', when: 'any-request', answers: 'MRS-4.3e' };
    const answer = describe(condition, `The health check ${method} ${path}`, [plain]);
    const responses: Node = { '406': { $ref: '#/components/responses/NotAcceptable' } };
    put(responses, answer, { ...answer.described, ...withSource(answer) });
    paths[path] = {
      ...(paths[path] ?? withSource(place)),
      [method.toLowerCase()]: {
        operationId: `checkHealth${drafted.length || ''}`,
        summary: 'Check health',
        'x-clauses': ['MRS-4.3a', 'MRS-4.3b'],
        security: [],
        ...withSource(how),
        responses,
      },
    };
    drafted.push(place, how, answer);
  }
  if (drafted.length === 0) return { drafted, actions: [] };
  const before = operations.filter(({ id }) => id.startsWith('checkHealth')).map(({ path }) => path);
  const removals = [...new Set(before)].map((path) => ({ target: `$.paths['${path}']`, remove: true }));
  return { drafted, actions: [...removals, { target: '$.paths', update: paths }] };
}

/** Where a token was accepted until shortly before its end, and refused after it. */
function lifetimeIn({ expiry, data }: Evidence): (Drafted & { seconds: number }) | undefined {
  if ((expiry.kind !== 'clock' && expiry.kind !== 'waited') || expiry.late) return undefined;
  const { late, expiredToken } = data;
  if (!isAnswered(late) || !isSuccess(late) || !isAnswered(expiredToken)) return undefined;
  if (expiredToken.response.status < 300 || expiredToken.response.status >= 500) return undefined;
  const seconds = expiry.lifetimeSeconds;
  const requests = [late.what, expiredToken.what];
  return { answers: 'MRS-5e', statement: `A token lives ${seconds} s.`, seconds, seen: 1, requests };
}

function whyTooLittle({ token, data, profile }: Evidence): string | undefined {
  const isIssued = isAnswered(token.valid) && token.valid.response.tokenResponse?.issued;
  const [what, probe] =
    offersTokens(profile) && !isIssued
      ? ['No token was obtained', token.valid]
      : ['The data was not received', data.first];
  if (probe === data.first && isAnswered(probe)) return undefined;
  if (isAnswered(probe)) return `${what}: ${inWords(probe)}.`;
  return `${what}: ${'notSent' in probe ? probe.notSent : `the deployment ${probe.failure}`}.`;
}

/** `a, b and c`. */
const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
