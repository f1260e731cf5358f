/** What a profile declares about the open points, read out of the merged contract, and the judgements on it. */
import { append } from '@hyperjump/json-pointer';
import { compareFeeds, type Finding, isFailure } from '../feed/findings.ts';
import { at, type Node, nodeOf } from '../support/json/values.ts';
import { ledger, type Requirement } from '../support/requirements.ts';
import { answered, dataAnswers, decided, firstRead, ifSent, settled } from './support/condition.ts';
import {
  type Answered,
  type Evidence,
  type Exchange,
  exchanges,
  isSuccess,
  type Probe,
  probesMeeting,
} from './support/evidence.ts';
import { allOf, couldNotRun, failed, type Judgement, notApplicable, passed } from './support/judgement.ts';

/** One declaration: an `x-declared` of the merged contract. */
interface Declaration {
  /** JSON pointer to what it describes. */
  pointer: string;
  /** Id of the open point. */
  answers: string;
  statement: string;
  source?: string;
}

/** The answer that the contract has for a condition. */
export interface ExpectedAnswer {
  operation: string;
  when: string;
  status: number;
  /** Absent where there is no body. */
  mediaType?: string;
  /** Of the body: pointers to the schemas of this answer (`x-asks`), or else of all such bodies. */
  schemas: string[];
  /** Whether the contract says that there is no body. */
  empty: boolean;
  /** Required headers, with their schemas. */
  headers: { name: string; schema: object }[];
  /** Pointers at which a declaration is about this answer. */
  pointers: string[];
}

/** There may be several health checks: their ids begin with checkHealth. */
export type Operation = Record<'id' | 'method' | 'path' | 'pointer', string>;

export interface Profile {
  name: string;
  title: string;
  /** Ids of the statements that the deployment does not offer. */
  notOffered: string[];
  declarations: Declaration[];
  answers: ExpectedAnswer[];
  operations: Operation[];
  /** In seconds, where it is declared. */
  tokenLifetimeSeconds?: number;
  /** The merged contract. */
  document: Node;
}

const aboutTokens = ledger.filter(({ about }) => about === 'tokens').map(({ id }) => id);

/** Whether a deployment has tokens: a profile can declare that it offers nothing of what is about them. */
export const offersTokens = (profile?: Pick<Profile, 'notOffered'>): boolean =>
  !profile || !aboutTokens.every((id) => profile.notOffered.includes(id));

/** The profile that was merged into a contract; undefined where nothing is declared. */
export function profileIn(document: Node): Profile | undefined {
  const own = document['x-profile'] as Pick<Profile, 'name' | 'title' | 'notOffered'> | undefined;
  if (!own) return undefined;
  const declarations = [...declarationsIn(document)];
  const lifetime = declarations.find(({ answers }) => answers === 'MRS-5e');
  const seconds = lifetime && nodeOf(at(document, lifetime.pointer))['x-token-lifetime-seconds'];
  return {
    ...{ name: own.name, title: own.title, notOffered: own.notOffered },
    ...{ declarations, operations: operationsIn(document), answers: answersIn(document), document },
    ...(typeof seconds === 'number' && { tokenLifetimeSeconds: seconds }),
  };
}

/** Every answer of a contract that says when it is expected. */
export const answersIn = (document: Node): ExpectedAnswer[] =>
  operationsIn(document).flatMap((operation) => answersOf(document, operation));

/** The rows that a profile adds to the ledger: one for each open point that it answers. */
export function declaredRequirements({ name, declarations }: Profile): Requirement[] {
  const points = [...new Set(declarations.map(({ answers }) => answers))];
  return points.map((point) => {
    const own = declarations.filter(({ answers }) => answers === point);
    const sources = [...new Set(own.flatMap(({ source }) => source ?? []))];
    return {
      id: `${point}@${name}`,
      clause: /[\d.]+/.exec(point)?.[0].replace(/\.$/, '') ?? '',
      kind: 'declared',
      statement: own.map(({ statement }) => statement).join(' '),
      ...(sources.length > 0 && { source: sources.join(' ') }),
    };
  });
}

export const pathOf = (profile: Profile, id: string): string | undefined =>
  profile.operations.find((operation) => operation.id === id)?.path;

export const operationsIn = (document: Node): Operation[] =>
  Object.entries(nodeOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(nodeOf(item))
      .filter(([, operation]) => nodeOf(operation).operationId !== undefined)
      .map(([method, operation]) => ({
        ...{ id: String(nodeOf(operation).operationId), method: method.toUpperCase(), path },
        pointer: append(method, append(path, '/paths')),
      })),
  );

const answersOf = (document: Node, { id, pointer }: Operation): ExpectedAnswer[] =>
  Object.entries(nodeOf(at(document, `${pointer}/responses`))).flatMap(([status, given]) => {
    const { $ref } = nodeOf(given);
    const place = typeof $ref === 'string' ? $ref.slice(1) : `${pointer}/responses/${status}`;
    const response = nodeOf(at(document, place));
    const required = Object.entries(nodeOf(response.headers)).filter(
      ([, one]) => nodeOf(one).required === true,
    );
    /** The answer that is described at `own`; a declaration may be about it `around` that, too. */
    const answerAt = (own: string, around: string[] = [], mediaType?: string, common: string[] = []) => {
      const { 'x-response-when': when, 'x-asks': asks, 'x-evidence': evidence } = nodeOf(at(document, own));
      if (when === undefined) return [];
      const { headers, schema, body } = nodeOf(asks);
      return {
        ...{ operation: id, status: Number(status), when: String(when), ...(mediaType && { mediaType }) },
        headers: [...required, ...Object.entries(nodeOf(headers))].map(([name, header]) => ({
          name: name.toLowerCase(),
          schema: nodeOf(nodeOf(header).schema),
        })),
        schemas: schema ? [`${own}/x-asks/schema`] : common,
        // A body of no known type is drafted without one.
        empty: body === false || (mediaType === undefined && evidence === undefined),
        pointers: [place, ...around, own],
      };
    };
    return [
      answerAt(place),
      ...Object.keys(nodeOf(response['x-without-body'])).map((name) =>
        answerAt(append(name, `${place}/x-without-body`)),
      ),
      ...Object.entries(nodeOf(response.content)).flatMap(([mediaType, media]) => {
        const content = append(mediaType, `${place}/content`);
        const schema = `${content}/schema`;
        const common = nodeOf(media).schema === undefined ? [] : [schema];
        return Object.keys(nodeOf(nodeOf(media).examples)).map((name) =>
          answerAt(append(name, `${content}/examples`), [content, schema], mediaType, common),
        );
      }),
    ].flat();
  });

function* declarationsIn(node: unknown, pointer = ''): Generator<Declaration> {
  if (typeof node !== 'object' || node === null) return;
  const declared = (node as Node)['x-declared'] as Omit<Declaration, 'pointer'> | undefined;
  if (declared) yield { pointer, ...declared };
  for (const [key, value] of Object.entries(node))
    if (key !== 'value' && key !== 'x-declared') yield* declarationsIn(value, append(key, pointer));
}

// The judgements on what is declared.

/** The rows that a profile adds, each with the function that judges it by all its declarations. */
export const declaredBy = (profile: Profile): (Requirement & { judge(evidence: Evidence): Judgement })[] =>
  declaredRequirements(profile).map((row) => ({
    ...row,
    judge(evidence) {
      const own = profile.declarations.filter(({ answers }) => row.id === `${answers}@${profile.name}`);
      const judgements = own.flatMap(({ pointer }) => judgementOn(pointer, profile, evidence) ?? []);
      return judgements.length > 0
        ? allOf(judgements)
        : notApplicable('Not exercised: no request of the suite triggers it.');
    },
  }));

/** The judgement on the declaration at `pointer`; undefined if no request of the run is about it. */
function judgementOn(pointer: string, profile: Profile, evidence: Evidence): Judgement | undefined {
  const { document } = profile;
  const records = document['x-records'] as { schema: string } | undefined;
  if (records && [`/components/schemas/${records.schema}`, '/x-records'].includes(pointer))
    return judgeRecords(evidence);
  if (pointer === '/components/securitySchemes/accessToken') return judgeLifetime(profile, evidence);
  const operation = profile.operations.find((one) => `${one.pointer}/`.startsWith(`${pointer}/`));
  // Where tokens are offered, clause 5.3 is about the second read.
  const more = offersTokens(profile) ? [] : ifSent(evidence.probes['data.second']);
  if (operation?.id === 'readData') return allOf([firstRead(evidence), ...more].map(judgeServed));
  if (operation) return operation.id.startsWith('checkHealth') ? judgeHealth(operation, evidence) : undefined;
  const judgements = profile.answers
    .filter(
      ({ pointers, schemas }) =>
        pointers.includes(pointer) || schemas.some((schema) => refersTo(document, schema, pointer)),
    )
    .flatMap((one) => probesFor(one, profile, evidence).map((probe) => judgeAnswer(one, probe)));
  return judgements.length === 0 ? undefined : allOf(conclusive(judgements));
}

/** Of requests that ask the same in several ways, the conclusive ones, and the first; all, if the first is not conclusive. */
const conclusive = (all: readonly Judgement[]): Judgement[] =>
  all.filter(({ verdict }) => verdict !== 'could-not-run' || all[0]?.verdict === 'could-not-run');

/** Whether what is at `pointer` is a part of the schema, however deep. */
function refersTo(document: unknown, schema: string, pointer: string, seen = new Set<string>()): boolean {
  if (`${pointer}/`.startsWith(`${schema}/`)) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const refs = [...JSON.stringify(at(document, schema) ?? null).matchAll(/"\$ref":"#([^"]+)"/g)];
  return refs.some(([, to = '']) => refersTo(document, to, pointer, seen));
}

/** The requests of a run that meet a condition. */
export function probesFor(
  { operation, when, status }: Pick<ExpectedAnswer, 'operation' | 'when' | 'status'>,
  profile: Pick<Profile, 'operations'>,
  evidence: Evidence,
): Probe[] {
  if (operation.startsWith('checkHealth')) {
    const own = when === 'any-request' ? profile.operations.find(({ id }) => id === operation) : undefined;
    return healthAt(own?.path, evidence).filter(({ request }) => request.method === own?.method);
  }
  // Nothing is done to bring a limit about; where one was met, it is looked at.
  if (when === 'rate-limited')
    return exchanges(evidence).filter(({ response }) => response?.status === status && response.declared);
  return probesMeeting(evidence, operation, when);
}

function judgeAnswer(
  { operation, status, mediaType, schemas, when }: ExpectedAnswer,
  probe: Probe,
): Judgement {
  const exchange = when === 'rate-limited' ? answered(probe) : settled(probe);
  if ('verdict' in exchange) return exchange;
  const { response } = exchange;
  const differs = (expected: string) => failed(expected, exchange);
  if (response.status !== status) return differs(`status ${status}`);
  if (mediaType !== undefined && response.mediaType !== mediaType)
    return differs(`the media type ${mediaType}`);
  if (schemas.length > 0 && /json$/.test(mediaType ?? '') && !response.json.wellFormed)
    return operation === 'readData'
      ? couldNotRun('The data is not JSON, so its shape cannot be judged (see MRS-4.2b).')
      : differs('a body of JSON');
  const outside = response.feed?.findings.find(({ rule }) => rule === 'envelope');
  if (outside) return differs(inWords(outside));
  const [first] = response.declared?.mismatches[when] ?? [];
  return first ? differs(first.expected) : passed(exchange);
}

/** The requests without a token at the path of one health check. */
const healthAt = (path: string | undefined, { health }: Evidence): Exchange[] =>
  health.flatMap(({ plain }) => ('id' in plain && plain.request.path === path ? plain : []));

function judgeRecords(evidence: Evidence): Judgement {
  const read = settled(firstRead(evidence));
  if ('verdict' in read) return read;
  if (!isSuccess(read))
    return couldNotRun(`The data was not served (see MRS-4.2a), so there are no records.`);
  const feeds = dataAnswers(evidence).flatMap((exchange) => {
    const { feed } = exchange.response;
    return feed ? { exchange, feed } : [];
  });
  const [first] = feeds;
  if (!first) return couldNotRun('The data is not JSON, so there are no records to look at (see MRS-4.2b).');
  if (first.feed.findings.some(({ rule }) => rule === 'envelope'))
    return couldNotRun('The list of records is not where the profile has it, so there is none to look at.');
  const [unjudged] = feeds.flatMap(({ feed }) => feed.unjudged);
  // The first finding of each rule, within a feed or between it and the first one.
  const found = new Map<string, { finding: Finding; exchange: Answered }>();
  for (const { exchange, feed } of feeds)
    for (const finding of [...feed.findings, ...(feed === first.feed ? [] : compareFeeds(first.feed, feed))])
      if (finding.rule !== 'envelope' && !found.has(finding.rule))
        found.set(finding.rule, { finding, exchange });
  // What had not ended at the first read, and is still there long after its end, is reported as stale only.
  const failures = [...found.values()].filter(
    ({ finding }) => isFailure(finding) && !(finding.rule === 'past' && found.has('stale')),
  );
  const judgement =
    failures.length > 0
      ? failed(
          failures.map(({ finding }) => inWords(finding)).join('; '),
          ...new Set(failures.map(({ exchange }) => exchange)),
        )
      : unjudged !== undefined
        ? couldNotRun(unjudged)
        : feeds.every(({ feed }) => feed.records === 0)
          ? notApplicable('The schedule was empty each time, so no record was seen.')
          : passed(...feeds.map(({ exchange }) => exchange));
  const findings = [...found.values()].map(({ finding }) => finding);
  return { ...judgement, ...(findings.length > 0 && { findings }) };
}

/** `records that keep the rule interval (3 do not: /ods_data/0: …)`. */
function inWords({ rule, count, places: [place] }: Finding): string {
  const where = place ? `: ${place.pointer || 'the body'}: ${place.seen}` : '';
  return `records that keep the rule ${rule} (${count} ${count === 1 ? 'does' : 'do'} not${where})`;
}

function judgeLifetime({ tokenLifetimeSeconds }: Profile, { probes, expiry }: Evidence): Judgement {
  if (!('lifetimeSeconds' in expiry)) return couldNotRun('No token was seen to expire (see MRS-7a).');
  const expired = settled(probes['data.expiredToken']);
  if ('verdict' in expired) return expired;
  if (expiry.lifetimeSeconds !== tokenLifetimeSeconds)
    return failed(
      `tokens that live ${tokenLifetimeSeconds} s, where ${expiry.lifetimeSeconds} s are agreed (MRS_TOKEN_LIFETIME)`,
      expired,
    );
  const isLate = 'late' in expiry && expiry.late !== undefined;
  if (isLate || isSuccess(expired)) return failed('that the token has expired by then', expired);
  const late = decided(probes['data.late']);
  if ('verdict' in late) return late;
  return isSuccess(late) ? passed(expired) : failed('that the token lives until then', late);
}

function judgeHealth({ method, path }: Operation, evidence: Evidence): Judgement | undefined {
  const atPath = healthAt(path, evidence);
  const asked = atPath.filter(({ request }) => request.method === method);
  if (asked.length > 0) return allOf(asked.map(judgeServed));
  // What does not answer GET was asked by HEAD instead.
  const byHead = atPath.find(({ request }) => request.method === 'HEAD');
  const exchange = byHead && settled(byHead);
  return !exchange || 'verdict' in exchange ? exchange : failed(`that ${path} answers ${method}`, exchange);
}

function judgeServed(probe: Probe | undefined): Judgement {
  const exchange = settled(probe);
  if ('verdict' in exchange) return exchange;
  return isSuccess(exchange) ? passed(exchange) : failed('a 2xx status', exchange);
}
