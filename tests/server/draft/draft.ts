/** What a run saw of the open points, as the draft of a profile: an OpenAPI Overlay of the contract. */
import { STATUS_CODES } from 'node:http';
import { pointerSegments } from '@hyperjump/json-pointer';
import { stringify } from 'yaml';
import type { Report } from '../../report/report.ts';
import { entry, WIDTH } from '../../report/terminal.ts';
import { several, wrap } from '../../report/text.ts';
import { ledger } from '../../support/requirements.ts';
import { answersIn, at, type Operation, operationsIn, type Profile, probesFor } from '../profile.ts';
import { observeOpenPoints } from '../report/open-points.ts';
import { acceptanceOf } from '../suite.ts';
import { dataAnswers } from '../support/condition.ts';
import { contractDocument } from '../support/contract.ts';
import { givesData } from '../support/data.ts';
import {
  type Answered,
  answerInWords,
  type Evidence,
  inWords,
  isAnswered,
  isIssued,
  isSuccess,
} from '../support/evidence.ts';
import { isJsonMediaType } from '../support/json.ts';

/** A part of an OpenAPI document or an overlay. */
type Node = Record<string, unknown>;

/** A statement on an open point, with what was seen of it. */
interface Drafted {
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
].map(([operation = '', when = '', answers = '', what = '']) => ({ operation, when, answers, what }));

type Condition = (typeof CONDITIONS)[number];

/** An answer, at its place among the responses of an operation. */
interface Placed {
  status: number;
  when: string;
  /** Undefined where there is no body, or its type is not known. */
  mediaType?: string | undefined;
  /** Its node, without the declaration. */
  described: Node;
}

/** An answer that was seen to a condition, each time in the same way. */
type SeenAnswer = Drafted & Placed & { operation: string };

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
  /** Of the run: the draft keeps what it declares. */
  profile?: Profile | undefined;
  /** The profile of the run, by the name or the file that the draft can find it under. */
  buildsOn?: string | undefined;
}

const HEADER = `# A draft of a profile: what one run saw of this deployment where the specification is open.
# Read each statement, ask the operator whether it is intended, and remove what is chance.
`;

/** A draft as the file that a person reads and edits. */
export const writeDraft = ({ overlay }: Draft): string =>
  HEADER + stringify(overlay, { lineWidth: 0, aliasDuplicateObjects: false });

/** Never throws: what cannot be drafted is left, with the reason. */
export function draftProfile({ evidence, profile, buildsOn }: DraftInput): Draft {
  const document = profile?.document ?? contractDocument;
  const operations = operationsIn(document);
  const observed = evidence.target.baseUrl;
  const on = evidence.startedAt.slice(0, 10);
  const isOpen = (point: string) => !profile?.declarations.some(({ answers }) => answers === point);
  const left: Draft['left'] = [];
  const withSource: WithSource = ({ answers, statement, seen, requests }) => ({
    'x-declared': { answers, statement, source: `observed at ${observed} on ${on}` },
    'x-evidence': { seen, requests },
  });
  const answers = CONDITIONS.filter(({ answers: point }) => isOpen(point)).flatMap((condition) => {
    const own = operations.find(({ id }) => id === condition.operation);
    const answer = own && answerTo(condition, operations, evidence);
    if (typeof answer === 'string') left.push({ answers: condition.answers, reason: answer });
    return typeof answer === 'object' ? answer : [];
  });
  const health = isOpen('MRS-4.3c') ? healthChecks(evidence, operations, withSource) : NO_HEALTH;
  left.push(...health.left);
  const lifetime = isOpen('MRS-5e') ? lifetimeIn(evidence) : [];
  const served = acceptanceOf('data', evidence);
  return {
    ...('verdict' in served && { tooLittle: served.reason ?? '' }),
    overlay: {
      overlay: '1.0.0',
      info: { title: `Draft: what ${observed} showed`, version: on },
      ...(buildsOn !== undefined && { 'x-builds-on': buildsOn }),
      actions: [
        { target: '$', update: { 'x-draft': { observed, on } } },
        ...operations.flatMap((operation) => {
          const own = answers.filter((one) => one.operation === operation.id);
          return own.length === 0 ? [] : actionsFor(operation, own, document, withSource);
        }),
        ...health.actions,
        ...lifetime.map((one) => ({
          target: '$.components.securitySchemes.accessToken',
          update: { 'x-token-lifetime-seconds': one.seconds, ...withSource(one) },
        })),
      ],
    },
    drafted: [...answers, ...health.drafted, ...lifetime],
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
  const probes = probesFor({ operation, when, status: 0 }, { operations }, evidence);
  const seen = probes.filter(isAnswered).filter((one) => when !== 'valid-token' || isSuccess(one));
  const [first] = seen;
  if (!first) return probes.flatMap((probe) => ('notSent' in probe ? [probe.notSent] : []))[0];
  const ways = [...new Set(seen.map(answerInWords))];
  const summary = `${what} was answered with ${ways.join('; ')}`;
  const { status, mediaType, json, bodyBytes } = first.response;
  const isJson = json.wellFormed && isJsonMediaType(mediaType) && bodyBytes > 0;
  if (ways.length > 1) return `${summary}: the answers differ.`;
  if ([408, 429].includes(status) || status >= 500) return `${summary}, which may be a passing fault.`;
  if (when === 'valid-token')
    return status === 204 || isJson ? describe(condition, seen) : `${summary}, which is not JSON.`;
  if (when === 'expired-token' && status !== 403) return `${summary}, where the specification states 403.`;
  if (status < 300) return `${summary}, which a client can take for a success.`;
  if (seen.some((one) => givesAway(one, evidence)))
    return `${summary}, and holds what only a client with valid credentials may get.`;
  return describe(condition, seen);
}

/** Whether an answer holds a token or the data, or may hold the data. */
const givesAway = (answer: Answered, evidence: Evidence): boolean =>
  isIssued(answer) || dataAnswers(evidence).some((served) => givesData(answer, served, evidence) !== false);

/** What all the answers to a condition have in common: what its members hold is left to the author. */
function describe({ operation, when, answers, what }: Condition, seen: Answered[]): SeenAnswer {
  const [{ response }] = seen as [Answered];
  const { status, bodyBytes, mediaType: type = '' } = response;
  const hasBody = bodyBytes > 0;
  const mediaType = hasBody && /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type) ? type : undefined;
  const members = isJsonMediaType(mediaType) ? commonMembers(seen) : undefined;
  const asks = { ...(members && { schema: members.schema }), ...(!hasBody && { body: false }) };
  const content = hasBody ? (mediaType ?? 'a body of unknown type') : 'no body';
  const body = [content, (members?.names ?? []).slice(0, 6).join(', ')].filter(Boolean).join(' with ');
  return {
    ...{ operation, when, status, answers, mediaType, seen: seen.length },
    statement: `${what} is answered with ${status}, ${body}.`,
    requests: [...new Set(seen.map((one) => one.what))],
    described: {
      'x-response-when': when,
      ...(Object.keys(asks).length > 0 && { 'x-asks': asks }),
      // Nothing that was seen: it may be private, or a page with scripts.
      ...(mediaType !== undefined && { value: members?.value ?? 'text' }),
    },
  };
}

/** The members that each body has, as a schema and as a body to send. A list is only sent with those of its first item. */
function commonMembers(seen: Answered[]) {
  const [first, ...others] = seen.map(({ response: { json } }) => json);
  if (!first?.wellFormed || others.some((one) => !one.wellFormed || one.type !== first.type))
    return undefined;
  const { type } = first;
  if (type !== 'object' && type !== 'array') return { names: [], schema: { type }, value: SCALARS[type] };
  const isNamed =
    !first.keyed && (first.fields ?? []).every((name) => /^[a-z_$@][\w$@.:-]{0,39}$/i.test(name));
  const names = (isNamed ? (first.fields ?? []) : [])
    .filter((name) => others.every((one) => one.wellFormed && one.fields?.includes(name)))
    .sort();
  const object = { type: 'object', ...(names.length > 0 && { required: names }) };
  const value = Object.fromEntries(names.map((name) => [name, 'text']));
  return type === 'object'
    ? { names, schema: object, value }
    : { names: [], schema: { type }, value: names.length > 0 ? [value] : [] };
}

const SCALARS = { string: 'text', number: 0, boolean: false, null: null };

type WithSource = (one: Drafted) => Node;

/** Puts seen answers into the place of those that the contract assumes: an overlay can merge and remove, and not replace. */
function actionsFor(
  { id, pointer }: Operation,
  seen: SeenAnswer[],
  document: Node,
  withSource: WithSource,
): Node[] {
  const before = answersIn(document).filter(({ operation }) => operation === id);
  const replaced = before.filter(({ when }) => seen.some((one) => one.when === when));
  const kept = new Set(before.filter((one) => !replaced.includes(one)).map(({ status }) => status));
  const responses = `${pointer}/responses`;
  const removed = [
    ...replaced.map(({ status, pointers }) =>
      kept.has(status) ? (pointers.at(-1) ?? '') : `${responses}/${status}`,
    ),
    // Those of a response are said of each of its answers.
    ...seen.filter(({ status }) => kept.has(status)).map(({ status }) => `${responses}/${status}/headers`),
  ];
  const next: Record<string, Node> = {};
  for (const one of seen) put(next, { ...one, described: { ...one.described, ...withSource(one) } });
  return [
    ...[...new Set(removed)]
      .filter((one) => at(document, one) !== undefined)
      .map((one) => ({ target: jsonPathOf(one), remove: true })),
    { target: jsonPathOf(responses), update: next },
  ];
}

const jsonPathOf = (pointer: string): string =>
  `$${[...pointerSegments(pointer)].map((name) => (/^[a-z]+$/i.test(name) ? `.${name}` : `['${name}']`)).join('')}`;

/** Adds an answer to the responses of an operation. */
function put(responses: Record<string, Node>, { status, mediaType, when, described }: Placed): void {
  const { value, ...rest } = described;
  const response = responses[status] ?? { description: STATUS_CODES[status] ?? 'An answer.' };
  responses[status] = response;
  if (mediaType === undefined) {
    response['x-without-body'] = { ...(response['x-without-body'] as Node), [when]: rest };
    return;
  }
  const content = (response.content ?? {}) as Record<string, { examples: Node }>;
  const examples = { ...content[mediaType]?.examples, [when]: { ...rest, value } };
  response.content = { ...content, [mediaType]: { schema: {}, examples } };
}

type HealthChecks = Pick<Draft, 'drafted' | 'left'> & { actions: Node[] };
const NO_HEALTH: HealthChecks = { drafted: [], left: [], actions: [] };

/** The health checks that answered with success, as statements and as one action that has their paths. */
function healthChecks({ health }: Evidence, operations: Operation[], withSource: WithSource): HealthChecks {
  const paths: Record<string, Node> = {};
  const drafted: Drafted[] = [];
  const left: Draft['left'] = [];
  for (const plain of health.map((one) => one.plain).filter(isAnswered)) {
    const { method, path } = plain.request;
    if (!isSuccess(plain) || !/^\/[\w./~-]+$/.test(path) || ['/token/', '/ods_data/'].includes(path)) {
      const reason = `${inWords(plain)}. Only a 2xx answer at a plain path is drafted.`;
      left.push({ answers: 'MRS-4.3c', reason });
      continue;
    }
    const stated = (answers: string, statement: string): Drafted => ({
      ...{ answers, statement, seen: 1, requests: [plain.what] },
    });
    const place = stated('MRS-4.3c', `There is a health check at ${path}.`);
    const how = stated('MRS-4.3d', `The health check at ${path} answers ${method}.`);
    const what = `The health check ${method} ${path}`;
    const condition = { operation: 'checkHealth', when: 'any-request', answers: 'MRS-4.3e', what };
    const answer = describe(condition, [plain]);
    const responses: Record<string, Node> = { '406': { $ref: '#/components/responses/NotAcceptable' } };
    put(responses, { ...answer, described: { ...answer.described, ...withSource(answer) } });
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
  if (drafted.length === 0) return { drafted, left, actions: [] };
  const before = operations.flatMap(({ id, path }) => (id.startsWith('checkHealth') ? path : []));
  const removals = [...new Set(before)].map((path) => ({ target: `$.paths['${path}']`, remove: true }));
  return { drafted, left, actions: [...removals, { target: '$.paths', update: paths }] };
}

/** Where a token was accepted until shortly before its end, and refused after it; otherwise none. */
function lifetimeIn({ expiry, probes }: Evidence): (Drafted & { seconds: number })[] {
  if (expiry.kind !== 'waited' || expiry.late) return [];
  const [late, expiredToken] = [probes['data.late'], probes['data.expiredToken']];
  if (!isAnswered(late) || !isSuccess(late) || !isAnswered(expiredToken)) return [];
  if (expiredToken.response.status < 300 || expiredToken.response.status >= 500) return [];
  const { lifetimeSeconds: seconds } = expiry;
  const requests = [late.what, expiredToken.what];
  return [{ answers: 'MRS-5e', statement: `A token lives ${seconds} s.`, seconds, seen: 1, requests }];
}

/**
 * What a run showed, as a text in 80 columns: the draft in `file`, what it lacks, what differs from the specification by
 * `report`, and a question to the operator on each open point that neither the draft nor the profile of the run answers.
 */
export function draftInWords(
  { drafted, left, tooLittle }: Draft,
  report: Report,
  evidence: Evidence,
  file: string,
  profile?: Profile,
): string {
  const { target, requests } = evidence;
  const head = wrap(`${target.baseUrl}: ${several(requests, 'request')} as client ${target.clientId}`, WIDTH);
  if (tooLittle !== undefined)
    return [...head, ...wrap(`Too little was seen for a draft. ${tooLittle}`, WIDTH)].join('\n');
  const section = (title: string, entries: (readonly [id: string, text: string])[]) =>
    entries.length === 0 ? [] : [title, ...entries.flatMap(([id, text]) => entry('·', id, text)), ''];
  const answered = new Set([...drafted, ...(profile?.declarations ?? [])].map(({ answers }) => answers));
  return [
    ...['', ...head, ''],
    ...section(
      `Drafted: ${several(drafted.length, 'statement')} on what the specification leaves open`,
      drafted.map(({ answers, statement, seen }) => [answers, `${statement} (seen: ${seen})`]),
    ),
    ...section(
      'Left out',
      left.map(({ answers, reason }) => [answers, reason]),
    ),
    ...section(
      'Differs from the specification, and is not drafted',
      report.items
        .filter(({ verdict }) => verdict === 'failed')
        .map(({ id, expected, seen }) => [id, `expected ${expected}; seen: ${seen}`]),
    ),
    ...section(
      'Ask the operator',
      observeOpenPoints(evidence)
        .filter(({ id }) => !answered.has(id))
        .map(({ id, statement, observed }) => [
          id,
          `${ledger.find((row) => row.id === id)?.question ?? statement}${observed ? ` Seen: ${observed}.` : ''}`,
        ]),
    ),
    `draft       ${file}`,
    `next        mrs verify --profile ${file}`,
  ].join('\n');
}
