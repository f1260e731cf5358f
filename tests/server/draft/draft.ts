/** What a run saw of the open points, as the draft of a profile: an OpenAPI Overlay of the contract. */
import { STATUS_CODES } from 'node:http';
import { pointerSegments } from '@hyperjump/json-pointer';
import { stringify } from 'yaml';
import type { Report } from '../../report/report.ts';
import { entry, WIDTH } from '../../report/terminal.ts';
import { several, wrap } from '../../report/text.ts';
import { at, type Node } from '../../support/json/values.ts';
import { answersIn, type Operation, operationsIn, type Profile, probesFor } from '../profile.ts';
import { observeOpenPoints } from '../report/open-points.ts';
import { unmetIn } from '../suite.ts';
import { dataAnswers } from '../support/condition.ts';
import { contractDocument } from '../support/contract.ts';
import { givesData } from '../support/data.ts';
import {
  type Answered,
  answerInWords,
  type Evidence,
  type Exchange,
  inWords,
  isAnswered,
  isIssued,
  isServed,
  isSuccess,
  isTransient,
} from '../support/evidence.ts';
import { isJsonMediaType } from '../support/json.ts';

/** The conditions that open points leave to a deployment, each with its point and its request as the start of a sentence. */
const DRAFTED_CONDITIONS = [
  ['readData', 'valid-token', 'MRS-4.2g', 'A request for the data'],
  ['readData', 'missing-token', 'MRS-7e', 'A request without a token'],
  ['readData', 'malformed-token', 'MRS-7f', 'A bearer header without a token'],
  ['readData', 'unknown-token', 'MRS-7f', 'A token that was never issued'],
  ['readData', 'expired-token', 'MRS-7c', 'An expired token'],
  ['obtainToken', 'wrong-credentials', 'MRS-7g', 'A form with wrong credentials'],
  ['obtainToken', 'malformed-request', 'MRS-7d', 'A form that lacks a field'],
  ['obtainToken', 'other-grant-type', 'MRS-7d', 'A form with another grant_type'],
] as const;

export interface Draft {
  /** Why too little was seen for a draft, as a sentence. */
  tooLittle?: string | undefined;
  overlay: Node;
  /** Statements, each with the id of its open point and the number of answers that showed it. */
  drafted: { answers: string; statement: string; seen: number }[];
  /** What was seen and is not drafted, with the reason as a sentence. */
  left: { answers: string; reason: string }[];
}

export interface DraftInput {
  evidence: Evidence;
  /** The profile of the run: the draft keeps what it declares. */
  profile?: Profile | undefined;
  /** The name or the file by which the draft finds that profile. */
  buildsOn?: string | undefined;
}

const HEADER = `# A draft of a profile: what one run saw of this deployment where the specification is open.
# Read each statement, ask the operator whether it is intended, and remove what is chance.
`;

/** A draft as the file that a person reads and edits. */
export const writeDraft = ({ overlay }: Draft): string =>
  HEADER + stringify(overlay, { lineWidth: 0, aliasDuplicateObjects: false });

/** Adds a statement to the draft; returns the members that declare it in the overlay. */
type Declare = (answers: string, statement: string, shownBy: readonly Exchange[]) => Node;

/** Never throws: what cannot be drafted is left, with the reason. */
export function draftProfile({ evidence, profile, buildsOn }: DraftInput): Draft {
  const document = profile?.document ?? contractDocument;
  const operations = operationsIn(document);
  const observed = evidence.target.baseUrl;
  const on = evidence.startedAt.slice(0, 10);
  const drafted: Draft['drafted'] = [];
  const left: Draft['left'] = [];
  const isOpen = (point: string) => !profile?.declarations.some(({ answers }) => answers === point);
  const declare: Declare = (answers, statement, shownBy) => {
    drafted.push({ answers, statement, seen: shownBy.length });
    const requests = [...new Set(shownBy.map(({ what }) => what))];
    return {
      'x-declared': { answers, statement, source: `observed at ${observed} on ${on}` },
      'x-evidence': { seen: shownBy.length, requests },
    };
  };
  const actions = operations.flatMap((operation) => {
    const whens: string[] = [];
    const updates = DRAFTED_CONDITIONS.flatMap(([id, when, point, what]): Node[] => {
      if (id !== operation.id || !isOpen(point)) return [];
      const probes = probesFor({ operation: id, when, status: 0 }, { operations }, evidence);
      const seen = probes.filter(isAnswered).filter((one) => when !== 'valid-token' || isSuccess(one));
      const [notSent] = probes.flatMap((probe) => ('notSent' in probe ? probe.notSent : []));
      const reason = seen.length === 0 ? notSent : whyLeft(when, what, seen, evidence);
      if (reason !== undefined) left.push({ answers: point, reason });
      if (reason !== undefined || seen.length === 0) return [];
      whens.push(when);
      return [responseOf(when, point, what, seen, declare)];
    });
    const target = jsonPathOf(`${operation.pointer}/responses`);
    const statuses = updates.flatMap((one) => Object.keys(one));
    return [
      ...removals(operation, whens, statuses, document),
      ...updates.map((update) => ({ target, update })),
    ];
  });
  if (isOpen('MRS-4.3c')) actions.push(...healthChecks(evidence, operations, declare, left));
  // A token was accepted until shortly before its end, and refused after it.
  const { expiry, probes } = evidence;
  const ends = [probes['data.late'], probes['data.expiredToken']].filter(isAnswered);
  const isSeen = isServed(ends[0]) && ends[1] && !isServed(ends[1]) && ends[1].response.status < 500;
  if (isOpen('MRS-5e') && isSeen && 'lifetimeSeconds' in expiry && !expiry.late) {
    const { lifetimeSeconds: seconds } = expiry;
    const declared = declare('MRS-5e', `A token lives ${seconds} s.`, ends);
    actions.push({
      target: '$.components.securitySchemes.accessToken',
      update: { 'x-token-lifetime-seconds': seconds, ...declared },
    });
  }
  return {
    tooLittle: evidence.interrupted ?? unmetIn(evidence, 'data')?.reason,
    overlay: {
      overlay: '1.0.0',
      info: { title: `Draft: what ${observed} showed`, version: on },
      ...(buildsOn !== undefined && { 'x-builds-on': buildsOn }),
      actions: [{ target: '$', update: { 'x-draft': { observed, on } } }, ...actions],
    },
    drafted,
    left,
  };
}

/** Why the answers to a condition are not drafted, as a sentence; undefined if they are. */
function whyLeft(when: string, what: string, seen: Answered[], evidence: Evidence): string | undefined {
  const [first] = seen as [Answered];
  const { status, mediaType, json, bodyBytes } = first.response;
  const ways = [...new Set(seen.map(answerInWords))];
  const isJson = json.wellFormed && isJsonMediaType(mediaType) && bodyBytes > 0;
  const holds = (one: Answered) =>
    isIssued(one) || dataAnswers(evidence).some((served) => givesData(one, served) !== false);
  const why =
    ways.length > 1
      ? ': the answers differ'
      : isTransient(first) || status >= 500
        ? ', which may be a passing fault'
        : when === 'valid-token'
          ? status !== 204 && !isJson && ', which is not JSON'
          : when === 'expired-token' && status !== 403
            ? ', where the specification states 403'
            : status < 300
              ? ', which a client can take for a success'
              : seen.some(holds) && ', and holds what only a client with valid credentials may get';
  return why ? `${what} was answered with ${ways.join('; ')}${why}.` : undefined;
}

/** What all the answers to a condition have in common, as responses: what its members hold is left to the author. */
function responseOf(when: string, point: string, what: string, seen: Answered[], declare: Declare): Node {
  const [{ response }] = seen as [Answered];
  const { status, bodyBytes, mediaType: type = '' } = response;
  const isPlain = bodyBytes > 0 && /^[\w!#$&^.+-]{1,60}\/[\w!#$&^.+-]{1,60}$/.test(type);
  const mediaType = isPlain ? type : undefined;
  // No value that was seen: it may be private, or a page with scripts.
  const { names = [], schema, value = 'text' } = isJsonMediaType(mediaType) ? commonBody(seen) : {};
  const asks = bodyBytes === 0 ? { body: false } : schema && { schema };
  const content = bodyBytes === 0 ? 'no body' : (mediaType ?? 'a body of unknown type');
  const members = names.length === 0 ? '' : ` with ${names.slice(0, 6).join(', ')}`;
  const node = {
    'x-response-when': when,
    ...(asks && { 'x-asks': asks }),
    ...declare(point, `${what} is answered with ${status}, ${content}${members}.`, seen),
  };
  return {
    [status]: {
      description: STATUS_CODES[status] ?? 'An answer.',
      ...(mediaType === undefined
        ? { 'x-without-body': { [when]: node } }
        : { content: { [mediaType]: { schema: {}, examples: { [when]: { ...node, value } } } } }),
    },
  };
}

const SCALARS = { string: 'text', number: 0, boolean: false, null: null };

/** The members that each body has, as a schema and as a body to send. A list is sent with those of its first item. */
function commonBody(seen: Answered[]): { names?: string[]; schema?: Node; value?: unknown } {
  const [first, ...others] = seen.map(({ response: { json } }) => json);
  if (!first?.wellFormed || others.some((one) => !one.wellFormed || one.type !== first.type)) return {};
  const { type, fields = [], keyed } = first;
  if (type !== 'object' && type !== 'array') return { schema: { type }, value: SCALARS[type] };
  const isNamed = !keyed && fields.every((name) => /^[a-z_$@][\w$@.:-]{0,39}$/i.test(name));
  const names = fields
    .filter((name) => isNamed && others.every((one) => one.wellFormed && one.fields?.includes(name)))
    .sort();
  const value = Object.fromEntries(names.map((name) => [name, 'text']));
  if (type === 'array') return { schema: { type }, value: names.length > 0 ? [value] : [] };
  return { names, schema: { type, ...(names.length > 0 && { required: names }) }, value };
}

/** Removes the answers that the contract assumes for these conditions: an overlay can merge and remove, and not replace. */
function removals({ id, pointer }: Operation, whens: string[], statuses: string[], document: Node): Node[] {
  const answers = answersIn(document).filter(({ operation }) => operation === id);
  const removed = answers.flatMap(({ status, when, pointers }) => {
    const place = `${pointer}/responses/${status}`;
    const isKept = answers.some((one) => one.status === status && !whens.includes(one.when));
    // Headers of a response are declared for each of its answers.
    const headers = isKept && statuses.includes(String(status)) ? [`${place}/headers`] : [];
    const answer = isKept ? (pointers.at(-1) ?? '') : place;
    return whens.includes(when) ? [answer, ...headers] : headers;
  });
  return [...new Set(removed)]
    .filter((one) => at(document, one) !== undefined)
    .map((one) => ({ target: jsonPathOf(one), remove: true }));
}

const jsonPathOf = (pointer: string): string =>
  `$${[...pointerSegments(pointer)].map((name) => (/^[a-z]+$/i.test(name) ? `.${name}` : `['${name}']`)).join('')}`;

/** The health checks that answered with success, in the place of those of the contract. */
function healthChecks(
  { health }: Evidence,
  operations: Operation[],
  declare: Declare,
  left: Draft['left'],
): Node[] {
  const isPlain = (one: Answered) =>
    isSuccess(one) && /^\/(?!(token|ods_data)\/$)[\w./~-]+$/.test(one.request.path);
  const answers = health.map(({ plain }) => plain).filter(isAnswered);
  for (const one of answers.filter((one) => !isPlain(one)))
    left.push({
      answers: 'MRS-4.3c',
      reason: `${inWords(one)}. Only a 2xx answer at a plain path is drafted.`,
    });
  const updates = answers.filter(isPlain).map((one, nth) => {
    const { method, path } = one.request;
    const place = declare('MRS-4.3c', `There is a health check at ${path}.`, [one]);
    const how = declare('MRS-4.3d', `The health check at ${path} answers ${method}.`, [one]);
    const what = `The health check ${method} ${path}`;
    const operation = {
      ...{ operationId: `checkHealth${nth || ''}`, summary: 'Check health' },
      ...{ 'x-clauses': ['MRS-4.3a', 'MRS-4.3b'], security: [], ...how },
      responses: {
        ...responseOf('any-request', 'MRS-4.3e', what, [one], declare),
        '406': { $ref: '#/components/responses/NotAcceptable' },
      },
    };
    return { [path]: { ...place, [method.toLowerCase()]: operation } };
  });
  if (updates.length === 0) return [];
  const before = operations.filter(({ id }) => id.startsWith('checkHealth')).map(({ path }) => path);
  return [
    ...[...new Set(before)].map((path) => ({ target: `$.paths['${path}']`, remove: true })),
    ...updates.map((update) => ({ target: '$.paths', update })),
  ];
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
  const answered = [...drafted, ...(profile?.declarations ?? [])].map(({ answers }) => answers);
  const section = (title: string, entries: readonly (readonly [id: string, text: string])[]) =>
    entries.length === 0 ? [] : [title, ...entries.flatMap(([id, text]) => entry('·', id, text)), ''];
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
        .filter(({ id }) => !answered.includes(id))
        .map(({ id, question, observed }) => [id, `${question}${observed ? ` Seen: ${observed}.` : ''}`]),
    ),
    `draft       ${file}`,
    `next        mrs verify --profile ${file}`,
  ].join('\n');
}
