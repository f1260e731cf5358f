/** What a run saw of the open points, as the draft of a profile: an OpenAPI Overlay of the contract. */
import { STATUS_CODES } from 'node:http';
import { harmless, mergeShapes, type Shape, sampleOf, schemaOf } from '../probe/body-shape.ts';
import { givesData } from '../support/data.ts';
import { answersIn, at, operationsIn, type Profile } from '../support/declared.ts';
import { probesFor } from '../support/declared-verdict.ts';
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

type Node = Record<string, unknown>;

export interface Drafted {
  /** Id of the open point. */
  answers: string;
  statement: string;
  /** How often. */
  seen: number;
  requests: string[];
}

export interface Draft {
  /** Absent where too little was seen: why, as a sentence. */
  tooLittle?: string;
  overlay: Node;
  drafted: Drafted[];
  /** What was seen and nobody judges, as sentences. */
  notes: string[];
  /** Conditions of open points that are not drafted, and why, as sentences. */
  left: { answers: string; reason: string }[];
}

export interface Means {
  evidence: Evidence;
  /** The contract that the draft is about: openapi.yaml, with what the profile of the run declares. */
  document: Node;
  profile?: Profile | undefined;
  /** The profile of the run, by the name or the file that the draft can find it under. */
  buildsOn?: string | undefined;
}

interface Condition {
  operation: string;
  when: string;
  answers: string;
  /** The request, as the beginning of a sentence. */
  what: string;
}

const CONDITIONS: readonly Condition[] = [
  { operation: 'readData', when: 'valid-token', answers: 'MRS-4.2g', what: 'A request for the data' },
  { operation: 'readData', when: 'missing-token', answers: 'MRS-7e', what: 'A request without a token' },
  {
    operation: 'readData',
    when: 'malformed-token',
    answers: 'MRS-7f',
    what: 'A bearer header without a token',
  },
  { operation: 'readData', when: 'unknown-token', answers: 'MRS-7f', what: 'A token that was never issued' },
  { operation: 'readData', when: 'expired-token', answers: 'MRS-7c', what: 'An expired token' },
  {
    operation: 'obtainToken',
    when: 'wrong-credentials',
    answers: 'MRS-7g',
    what: 'A form with wrong credentials',
  },
  {
    operation: 'obtainToken',
    when: 'malformed-request',
    answers: 'MRS-7d',
    what: 'A form that lacks a field',
  },
  {
    operation: 'obtainToken',
    when: 'other-grant-type',
    answers: 'MRS-7d',
    what: 'A form with another grant_type',
  },
  { operation: 'obtainToken', when: 'rate-limited', answers: 'MRS-8a', what: 'A client that asks too often' },
  {
    operation: 'readData',
    when: 'rate-limited',
    answers: 'MRS-8a',
    what: 'A client that asks for the data too often',
  },
];

/** Never throws: what cannot be drafted is left, with the reason. */
export function draftProfile({ evidence, document, profile, buildsOn }: Means): Draft {
  const operations = operationsIn(document);
  const day = evidence.startedAt.slice(0, 10);
  const source = `observed at ${evidence.target.baseUrl} on ${day}`;
  const declared = new Set(profile?.declarations.map(({ answers }) => answers));
  const left: Draft['left'] = [];
  const answers = CONDITIONS.filter((one) => !declared.has(one.answers)).flatMap((condition) => {
    if (!operations.some(({ id }) => id === condition.operation)) return [];
    const answer = answerTo(condition, { operations }, evidence);
    if (answer && 'reason' in answer) left.push({ answers: condition.answers, reason: answer.reason });
    return answer && 'place' in answer ? [answer] : [];
  });
  const kept = answers.filter((answer) => {
    const reason = notToldApart(answer, answers, document);
    if (reason) left.push({ answers: answer.answers, reason });
    return !reason;
  });
  const parts = operations
    .filter(({ id }) => !id.startsWith('checkHealth'))
    .map(({ id, pointer }) => ({ pointer, own: kept.filter(({ operation }) => operation === id) }))
    .filter(({ own }) => own.length > 0);
  const health = declared.has('MRS-4.3c') ? [] : healthChecks(evidence, left);
  const lifetime = declared.has('MRS-5e') ? undefined : lifetimeIn(evidence);
  const beside = ({ answers: point, statement, seen, requests }: Drafted) => ({
    'x-declared': { answers: point, statement, source },
    'x-evidence': { seen, requests },
  });
  const notes = notesOn(evidence);
  const tooLittle = whyTooLittle(evidence);

  const actions = [
    { target: '$', update: { 'x-draft': { observed: evidence.target.baseUrl, on: day } } },
    ...parts.flatMap(({ pointer, own }) => actionsFor(document, pointer, own, beside)),
    ...(health.length === 0 ? [] : healthActions(document, health, beside)),
    ...(lifetime
      ? [
          {
            target: '$.components.securitySchemes.accessToken',
            update: { 'x-token-lifetime-seconds': lifetime.seconds, ...beside(lifetime) },
          },
        ]
      : []),
  ];
  return {
    ...(tooLittle && { tooLittle }),
    overlay: {
      overlay: '1.0.0',
      info: { title: `Draft: what ${evidence.target.baseUrl} showed`, version: day },
      ...(buildsOn !== undefined && { 'x-builds-on': buildsOn }),
      ...(notes.length > 0 && { 'x-notes': notes }),
      actions,
    },
    drafted: [...kept, ...health.flatMap(({ facts }) => facts), ...(lifetime ? [lifetime] : [])],
    notes,
    left,
  };
}

/** An answer that was seen to a condition, each time in the same way. */
interface SeenAnswer extends Drafted {
  operation: string;
  when: string;
  status: number;
  /** Absent where there is no body, or nobody says of what type it is. */
  mediaType?: string;
  /** What stands at the example, but for the declaration. */
  place: Node;
}

/** Undefined where the run had no occasion for it. */
function answerTo(
  condition: Condition,
  profile: Pick<Profile, 'operations'>,
  evidence: Evidence,
): SeenAnswer | { reason: string } | undefined {
  const { operation, when, what } = condition;
  const { data } = evidence;
  const probes =
    when === 'valid-token'
      ? [data.first, data.second, data.third, data.freshToken]
      : when === 'rate-limited'
        ? limited(operation, profile, evidence)
        : probesFor({ operation, when, status: 0 }, profile, evidence);
  const seen = probes.filter(isAnswered).filter((one) => when !== 'valid-token' || isSuccess(one));
  const [first] = seen;
  if (!first) {
    const [why] = probes.flatMap((probe) => ('notSent' in probe ? [probe.notSent] : []));
    return why === undefined ? undefined : { reason: why };
  }
  const reason = whyLeft(condition, seen, evidence);
  return reason === undefined ? { ...describe(condition, what, seen) } : { reason };
}

function limited(
  operation: string,
  { operations }: Pick<Profile, 'operations'>,
  evidence: Evidence,
): Probe[] {
  const own = operations.find(({ id }) => id === operation);
  return exchanges(evidence).filter(
    ({ request, response }) =>
      response?.status === 429 && request.path === own?.path && request.method === own.method,
  );
}

/** In a sentence; undefined if what was seen is what the specification leaves open. */
function whyLeft(
  { operation, when, what }: Condition,
  seen: Answered[],
  evidence: Evidence,
): string | undefined {
  const ways = [...new Set(seen.map((one) => inWords({ ...one, what: '' }).slice(2)))];
  const told = `${what} was answered with ${ways.join('; ')}`;
  if (ways.length > 1) return `${told}: in more than one way.`;
  const [first] = seen as [Answered];
  const { status, mediaType, json, bodyBytes } = first.response;
  if (when === 'rate-limited') return undefined;
  if ([408, 429].includes(status) || status >= 500) return `${told}, which decides nothing.`;
  if (when === 'valid-token') {
    const isJson = json.wellFormed && isJsonMediaType(mediaType);
    return status === 204 || (isJson && bodyBytes > 0) ? undefined : `${told}, and not with JSON.`;
  }
  if (when === 'expired-token' && status !== 403) return `${told}, where the specification states 403.`;
  if (status >= 300) return undefined;
  const isGiven = (one: Answered) =>
    operation === 'obtainToken'
      ? one.response.tokenResponse?.issued || one.response.tokenResponse?.unclear
      : !isAnswered(evidence.data.first) || givesData(one, evidence.data.first, evidence) !== false;
  return seen.some(isGiven) ? `${told}: it may be no refusal.` : undefined;
}

/** With a 2xx status a refusal has to be another body than what it stands in the place of. */
function notToldApart(answer: SeenAnswer, all: readonly SeenAnswer[], document: Node): string | undefined {
  const { operation, when, status, mediaType, place } = answer;
  if (status >= 300 || mediaType === undefined || when === 'valid-token' || !isJsonMediaType(mediaType))
    return undefined;
  const told = `${answer.statement} It cannot be told from`;
  const own = place.value as Node | null;
  if (operation === 'obtainToken') return own?.token ? `${told} a token.` : undefined;
  const before = answersIn(document).find((one) => one.operation === operation && one.when === 'valid-token');
  const served = (all.find((one) => one.operation === operation && one.when === 'valid-token')?.place ??
    at(document, before?.pointers.at(-1) ?? '')) as { value?: unknown } | undefined;
  const names = Object.keys(Object(served?.value));
  const isTold =
    typeof own === 'object' && own !== null && !Array.isArray(own) && Object.keys(own).length > 0;
  return isTold && Object.keys(own).every((name) => !names.includes(name)) ? undefined : `${told} the data.`;
}

function describe(condition: Condition, what: string, seen: Answered[]): SeenAnswer {
  const { operation, when, answers } = condition;
  const [first] = seen as [Answered];
  const { status } = first.response;
  const hasBody = first.response.bodyBytes > 0;
  const mediaType = hasBody ? usableType(first.response.mediaType) : undefined;
  const shapes = seen.map(({ response }) => response.shape);
  const isKnown = hasBody && shapes.every((shape) => shape !== undefined) && isJsonMediaType(mediaType);
  const shape = isKnown ? mergeShapes(shapes as Shape[]) : undefined;
  const headers = headersOf(seen);
  const asks: Node = {
    ...(Object.keys(headers.asked).length > 0 && { headers: headers.asked }),
    ...(shape && { schema: schemaOf(shape) }),
    ...(!hasBody && { body: false }),
  };
  return {
    ...{ operation, when, status, answers },
    ...(mediaType !== undefined && { mediaType }),
    statement: `${what} is answered with ${status}, ${bodyInWords(hasBody, mediaType, shape)}${headers.inWords}.`,
    seen: seen.length,
    requests: [...new Set(seen.map((one) => one.what))],
    place: {
      'x-response-when': when,
      ...(Object.keys(headers.served).length > 0 && { 'x-headers': headers.served }),
      ...(Object.keys(asks).length > 0 && { 'x-asks': asks }),
      ...(mediaType !== undefined && {
        value: shape ? sampleOf(shape, when === 'valid-token') : textFor(first, mediaType),
      }),
    },
  };
}

const usableType = (type: string | undefined): string | undefined =>
  type !== undefined && /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type) ? type : undefined;

function bodyInWords(hasBody: boolean, mediaType: string | undefined, shape: Shape | undefined): string {
  if (!hasBody) return 'without a body';
  if (!shape) return mediaType ?? 'with a body of no known type';
  const names = (shape.required ?? []).map((name) => name.slice(0, 40));
  const some = names.length > 6 ? [...names.slice(0, 5), `${names.length - 5} more`] : names;
  if (shape.types.includes('object'))
    return `${mediaType}, an object${some.length > 0 ? ` with ${listed(some)}` : ''}`;
  return `${mediaType}, ${shape.types.includes('array') ? 'a list' : `a ${shape.types.join(' or ')}`}`;
}

const listed = (words: string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

/** A page stands for pages: what was seen may come alive in a browser. */
function textFor({ response: { excerpt } }: Answered, mediaType: string): string {
  if (mediaType === 'text/html')
    return '<!doctype html>\n<title>A page</title>\n<p>It stands for a page that was seen.</p>\n';
  return (
    (mediaType === 'text/plain' && harmless(excerpt.slice(0, 200))) || 'It stands for a text that was seen.'
  );
}

/** Those that mean something to a client, by their names as they are written. */
const TELLING = ['WWW-Authenticate', 'Allow', 'Cache-Control', 'Retry-After', 'Location'];
/** These are another one from time to time: that they are there is all that can be asked. */
const VARYING = ['Retry-After', 'Location'];

function headersOf(seen: Answered[]) {
  const served: Record<string, string> = {};
  const asked: Node = {};
  const words: string[] = [];
  for (const name of TELLING) {
    const values = seen.map(({ response }) =>
      response.headers
        .filter(([one]) => one === name.toLowerCase())
        .map(([, value]) => value)
        .join(', '),
    );
    const [value = ''] = values;
    if (values.some((one) => !/^[\x20-\x7e]{1,200}$/.test(one))) continue;
    const isSame = values.every((one) => one === value) && harmless(value) === value.trim();
    const scheme = /^[A-Za-z]+\b/.exec(value)?.[0];
    if (isSame && !VARYING.includes(name)) {
      served[name] = value;
      asked[name] = { schema: { const: value } };
      words.push(`${name}: ${value}`);
    } else if (name === 'WWW-Authenticate' && scheme && values.every((one) => one.startsWith(scheme))) {
      served[name] = scheme;
      asked[name] = { schema: { pattern: `^${scheme}\\b` } };
      words.push(`${name}: ${scheme}`);
    } else if (VARYING.includes(name)) {
      served[name] = name === 'Location' ? harmless(value.replace(/[?#].*/, '')) : '1';
      asked[name] = { schema: {} };
      words.push(name);
    }
  }
  return { served, asked, inWords: words.length > 0 ? `, and ${listed(words)}` : '' };
}

type Beside = (one: Drafted) => Node;

/**
 * What has to be changed at an operation: each status that an answer leaves or comes to is written anew, since an
 * overlay can merge and remove, and not replace.
 */
function actionsFor(document: Node, pointer: string, own: readonly SeenAnswer[], beside: Beside): Node[] {
  const base = at(document, `${pointer}/responses`) as Node;
  const conditions = own.map(({ when }) => when);
  const target = `$${targetOf(pointer)}.responses`;
  const next: Node = {};
  const removals: Node[] = [];
  for (const [status, given] of Object.entries(base)) {
    const { $ref } = given as { $ref?: string };
    const response = structuredClone($ref === undefined ? given : at(document, $ref.slice(1))) as Node;
    const isLeft = takeOut(response, conditions);
    const isTarget = own.some((one) => one.status === Number(status));
    if (!isLeft.changed && !isTarget) continue;
    removals.push({ target: `${target}['${status}']`, remove: true });
    if (isLeft.owed > 0) next[status] = withOwnHeaders(response);
    else if (isTarget) next[status] = { description: response.description };
  }
  for (const one of own) addTo(next, one, beside);
  return [...removals, { target, update: next }];
}

const targetOf = (pointer: string): string =>
  pointer
    .split('/')
    .slice(1)
    .map((key) => {
      const name = key.replaceAll('~1', '/').replaceAll('~0', '~');
      return /^[a-z]+$/i.test(name) ? `.${name}` : `['${name}']`;
    })
    .join('');

/** Takes the answers to these conditions out of a response, and says how many others it has. */
function takeOut(response: Node, conditions: readonly string[]): { changed: boolean; owed: number } {
  let changed = false;
  let owed = 0;
  const look = (described: Node, remove: () => void) => {
    const when = described['x-response-when'];
    if (when === undefined) return;
    if (conditions.includes(String(when))) {
      changed = true;
      remove();
    } else owed++;
  };
  look(response, () => {
    for (const name of ['x-response-when', 'x-headers', 'x-declared', 'x-assumption']) delete response[name];
  });
  const bodiless = (response['x-without-body'] ?? {}) as Record<string, Node>;
  for (const [name, one] of Object.entries(bodiless)) look(one, () => delete bodiless[name]);
  const content = (response.content ?? {}) as Record<string, { examples?: Record<string, Node> }>;
  for (const [type, { examples = {} }] of Object.entries(content)) {
    for (const [name, one] of Object.entries(examples)) look(one, () => delete examples[name]);
    if (changed && Object.keys(examples).length === 0) delete content[type];
  }
  return { changed, owed };
}

/** What all answers of a status have is from now on said of each, since those that come to it have others. */
function withOwnHeaders(response: Node): Node {
  const { headers = {}, ...rest } = response as { headers?: Record<string, { example?: unknown }> } & Node;
  const served = Object.entries(headers)
    .filter(([, { example }]) => example !== undefined)
    .map(([name, { example }]) => [name, String(example)]);
  const content = (rest.content ?? {}) as Record<string, { examples?: Record<string, Node> }>;
  for (const { examples = {} } of Object.values(content))
    for (const one of Object.values(examples))
      if (served.length > 0)
        one['x-headers'] = { ...Object.fromEntries(served), ...(one['x-headers'] as Node) };
  return rest;
}

function addTo(
  responses: Node,
  { status, mediaType, when, place, ...one }: SeenAnswer,
  beside: Beside,
): void {
  const response = (responses[status] ?? { description: STATUS_CODES[status] ?? 'An answer.' }) as Node;
  responses[status] = response;
  const { value, ...described } = place;
  const whole = { ...described, ...beside(one), ...(mediaType !== undefined && { value }) };
  if (mediaType === undefined) {
    response['x-without-body'] = { ...(response['x-without-body'] as Node), [when]: whole };
    return;
  }
  const content = (response.content ?? {}) as Record<string, { schema: object; examples?: Node }>;
  const media = content[mediaType] ?? { schema: {} };
  response.content = {
    ...content,
    [mediaType]: { ...media, examples: { ...media.examples, [when]: whole } },
  };
}

interface HealthCheck {
  method: string;
  path: string;
  answer: SeenAnswer;
  facts: [path: Drafted, method: Drafted, answer: Drafted];
}

/** Those that answered. Which path answers otherwise is left. */
function healthChecks({ health }: Evidence, left: Draft['left']): HealthCheck[] {
  return health
    .map(({ plain }) => plain)
    .filter(isAnswered)
    .flatMap((plain) => {
      const { method, path } = plain.request;
      const leave = (reason: string) => {
        left.push({ answers: 'MRS-4.3c', reason: `${inWords(plain)}${reason}` });
        return [];
      };
      if (!isSuccess(plain)) return leave(', which says nothing of how it answers when all is well.');
      if (!/^\/[\w./~-]+$/.test(path) || ['/token/', '/ods_data/'].includes(path))
        return leave('. Its path cannot stand in a profile.');
      const condition = { operation: 'checkHealth', when: 'any-request', answers: 'MRS-4.3e', what: '' };
      const answer = describe(condition, `The health check ${method} ${path}`, [plain]);
      const evidence = { seen: 1, requests: [plain.what] };
      const facts: HealthCheck['facts'] = [
        { answers: 'MRS-4.3c', statement: `There is a health check at ${path}.`, ...evidence },
        { answers: 'MRS-4.3d', statement: `The health check at ${path} answers ${method}.`, ...evidence },
        answer,
      ];
      return { method, path, answer, facts };
    });
}

function healthActions(document: Node, checks: readonly HealthCheck[], beside: Beside): Node[] {
  const paths: Record<string, Node> = {};
  checks.forEach(({ method, path, answer, facts: [place, how] }, index) => {
    const responses: Node = { '406': { $ref: '#/components/responses/NotAcceptable' } };
    addTo(responses, answer, beside);
    const item = paths[path] ?? beside(place);
    paths[path] = item;
    item[method.toLowerCase()] = {
      operationId: `checkHealth${index === 0 ? '' : index + 1}`,
      summary: 'Check health',
      'x-clauses': ['MRS-4.3a', 'MRS-4.3b'],
      security: [],
      ...beside(how),
      responses,
    };
  });
  const before = operationsIn(document).filter(({ id }) => id.startsWith('checkHealth'));
  return [
    ...[...new Set(before.map(({ path }) => path))].map((path) => ({
      target: `$.paths['${path}']`,
      remove: true,
    })),
    { target: '$.paths', update: paths },
  ];
}

/** Where a token was accepted until shortly before its end, and refused after it. */
function lifetimeIn({ expiry, data }: Evidence): (Drafted & { seconds: number }) | undefined {
  if (expiry.kind !== 'clock' && expiry.kind !== 'waited') return undefined;
  const { late, expiredToken } = data;
  if (!isAnswered(late) || !isSuccess(late) || !isAnswered(expiredToken)) return undefined;
  if (expiredToken.response.status < 300 || expiredToken.response.status >= 500) return undefined;
  const seconds = expiry.lifetimeSeconds;
  return {
    ...{ answers: 'MRS-5e', statement: `A token lives ${seconds} s.`, seconds },
    ...{ seen: 1, requests: [late.what, expiredToken.what] },
  };
}

function notesOn(evidence: Evidence): string[] {
  const { open, data } = evidence;
  const asked = [
    open.head,
    open.options,
    open.withoutSlash,
    data.otherScheme,
    data.alteredToken,
    open.tokenBefore,
  ];
  const limits = exchanges(evidence)
    .flatMap(({ response }) => response?.headers ?? [])
    .map(([name]) => name)
    .filter((name) => /^(x-)?rate-?limit\b[\w-]*$/.test(name));
  const waits = exchanges(evidence).filter(({ waitedSeconds }) => waitedSeconds !== undefined).length;
  const allow = isAnswered(open.options)
    ? open.options.response.headers.find(([name]) => name === 'allow')?.[1]
    : undefined;
  return [
    ...asked.filter(isAnswered).map((one) => `${inWords(one)}.`),
    ...(allow === undefined ? [] : [`It says that the data allows ${harmless(allow)}.`]),
    ...(limits.length > 0 ? [`Answers have the headers ${listed([...new Set(limits)].sort())}.`] : []),
    ...(waits > 0 ? ['It asked to wait before it answered (Retry-After).'] : []),
  ].map((note) => note.slice(0, 300));
}

function whyTooLittle({ token, data, profile }: Evidence): string | undefined {
  const isOpen = profile?.notOffered.includes('MRS-4.1a');
  const tell = (probe: Probe, what: string) =>
    `${what}: ${isAnswered(probe) ? inWords(probe) : 'notSent' in probe ? probe.notSent : `the deployment ${probe.failure}`}.`;
  if (!isOpen && !(isAnswered(token.valid) && token.valid.response.tokenResponse?.issued))
    return tell(token.valid, 'No token was obtained');
  if (!isAnswered(data.first)) return tell(data.first, 'The data was not answered');
  return undefined;
}
