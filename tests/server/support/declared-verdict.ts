/** Whether a deployment does what its profile declares: the judgements on the rows that the profile adds to the ledger. */
import { compareFeeds } from '../../feed/compare-feeds.ts';
import { type Finding, isFailure } from '../../feed/findings.ts';
import type { Requirement } from '../../support/requirements.ts';
import type { JudgedBy } from '../suite.ts';
import { answered, dataAnswers, decided, settled } from './condition.ts';
import { at, type Declaration, declaredRequirements, type ExpectedAnswer, type Profile } from './declared.ts';
import { type Answered, type Evidence, exchanges, isSuccess, type Probe, probesMeeting } from './evidence.ts';
import { conclusive } from './expectations.ts';
import { allOf, couldNotRun, failed, type Judgement, notApplicable, passed } from './judgement.ts';

/** The rows that a profile adds, each with its function. */
export const declaredBy = (profile: Profile): JudgedBy[] =>
  declaredRequirements(profile).map((row) => ({
    id: row.id,
    judge: (evidence) => judgeDeclared(row, profile, evidence),
  }));

/** Judges a row by each of its declarations. */
export function judgeDeclared({ id }: Requirement, profile: Profile, evidence: Evidence): Judgement {
  const own = profile.declarations.filter(({ answers }) => id === `${answers}@${profile.name}`);
  const judgements = own
    .map((declaration) => judgementOf(declaration, profile, evidence))
    .filter((judgement) => judgement !== undefined);
  if (judgements.length > 0) return allOf(judgements);
  return notApplicable('Not exercised: no request of the suite triggers it.');
}

/** Undefined where the run had no occasion for it. */
function judgementOf(declaration: Declaration, profile: Profile, evidence: Evidence): Judgement | undefined {
  const { pointer } = declaration;
  const { document } = profile;
  const records = document['x-records'] as { schema: string } | undefined;
  if (records && [`/components/schemas/${records.schema}`, '/x-records'].includes(pointer))
    return judgeRecords(evidence);
  if (pointer === '/components/securitySchemes/accessToken') return judgeLifetime(profile, evidence);
  const operation = profile.operations.find(
    (one) => one.pointer === pointer || `${one.pointer}/`.startsWith(`${pointer}/`),
  );
  if (operation) return judgeOperation(operation.id, profile, evidence);
  const expected = profile.answers.filter(
    ({ pointers, schemas }) =>
      pointers.includes(pointer) || schemas.some((schema) => refersTo(document, schema, pointer)),
  );
  const met = expected.flatMap((one) => probesFor(one, profile, evidence).map((probe) => ({ one, probe })));
  if (met.length === 0) return undefined;
  return allOf(conclusive(met.map(({ one, probe }) => judgeAnswer(one, probe))));
}

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
  if (operation.startsWith('checkHealth'))
    return when === 'any-request' ? healthProbes(operation, profile, evidence) : [];
  // Nothing is done to bring a limit about; where one was met, it is looked at.
  if (when === 'rate-limited')
    return exchanges(evidence).filter((one) => one.response?.status === status && one.response.declared);
  return probesMeeting(evidence, operation, when);
}

function judgeAnswer(
  { operation, status, mediaType, schemas, when, drafted }: ExpectedAnswer,
  probe: Probe,
): Judgement {
  const exchange = when === 'rate-limited' ? answered(probe) : settled(probe);
  if ('verdict' in exchange) return exchange;
  const { response } = exchange;
  const as = drafted ? ' as drafted' : '';
  if (response.status !== status) return failed(`status ${status}${as}`, exchange);
  if (mediaType !== undefined && response.mediaType !== mediaType)
    return failed(`the media type ${mediaType}${as}`, exchange);
  if (schemas.length > 0 && /json$/.test(mediaType ?? '') && !response.json.wellFormed)
    return operation === 'readData'
      ? couldNotRun('The data is not JSON, so its shape cannot be judged (see MRS-4.2b).')
      : failed(`a body of JSON${as}`, exchange);
  const outside = response.feed?.findings.find(({ rule }) => rule === 'envelope');
  if (outside) return failed(inWords(outside), exchange);
  const [first] = response.declared?.mismatches[when] ?? [];
  if (first) return failed(`that ${first.pointer || 'its body'} ${first.message}${as}`, exchange);
  return passed(exchange);
}

/** The requests without a token at one health check. */
function healthProbes(
  id: string,
  { operations }: Pick<Profile, 'operations'>,
  { health }: Evidence,
): Probe[] {
  const own = operations.find((operation) => operation.id === id);
  return health
    .map(({ plain }) => plain)
    .filter(
      (plain) => 'id' in plain && plain.request.path === own?.path && plain.request.method === own.method,
    );
}

/** The answers that hold records, in the order in which they came. */
const feedsOf = (evidence: Evidence): Answered[] =>
  dataAnswers(evidence).filter(({ response }) => response.feed);

function judgeRecords(evidence: Evidence): Judgement {
  const first = settled(evidence.data.first);
  if ('verdict' in first) return first;
  if (!isSuccess(first))
    return couldNotRun(`The data was not served (see MRS-4.2a), so there are no records.`);
  const feeds = feedsOf(evidence);
  const [one, ...later] = feeds;
  if (!one) return couldNotRun('The data is not JSON, so there are no records to look at (see MRS-4.2b).');
  if (one.response.feed?.findings.some(({ rule }) => rule === 'envelope'))
    return couldNotRun('The list of records is not where the profile has it, so there is none to look at.');
  const found = findingsIn(one, feeds);
  // What had not ended at the first read, and is still there long after its end, is reported as stale only.
  const isStale = found.some(({ finding }) => finding.rule === 'stale');
  const failures = found.filter(({ finding }) => isFailure(finding) && !(isStale && finding.rule === 'past'));
  const findings = found.map(({ finding }) => finding);
  return { ...judgement(), ...(findings.length > 0 && { findings }) };

  function judgement(): Judgement {
    if (failures.length > 0)
      return failed(
        failures.map(({ finding }) => inWords(finding)).join('; '),
        ...new Set(failures.map(({ exchange }) => exchange)),
      );
    if (feeds.every(({ response }) => response.feed?.records === 0))
      return notApplicable('The schedule was empty each time, so no record was seen.');
    return passed(one as Answered, ...later);
  }
}

/** The first finding of each rule, within a feed or between it and the first one. */
function findingsIn(first: Answered, feeds: readonly Answered[]): { finding: Finding; exchange: Answered }[] {
  const found = new Map<string, { finding: Finding; exchange: Answered }>();
  const before = first.response.feed;
  for (const exchange of feeds) {
    const after = exchange.response.feed;
    const between = before && after && exchange !== first ? compareFeeds(before, after) : [];
    for (const finding of [...(after?.findings ?? []), ...between])
      if (finding.rule !== 'envelope' && !found.has(finding.rule))
        found.set(finding.rule, { finding, exchange });
  }
  return [...found.values()];
}

/** `records that keep the rule interval (3 do not: /ods_data/0: …)`. */
function inWords({ rule, count, places }: Finding): string {
  const [place] = places;
  const where = place ? `: ${place.pointer || 'the body'}: ${place.seen}` : '';
  return `records that keep the rule ${rule} (${count} ${count === 1 ? 'does' : 'do'} not${where})`;
}

function judgeLifetime({ tokenLifetimeSeconds }: Profile, { data, expiry }: Evidence): Judgement {
  if (!('lifetimeSeconds' in expiry)) return couldNotRun('No token was seen to expire (see MRS-7a).');
  const expired = settled(data.expiredToken);
  if ('verdict' in expired) return expired;
  if (expiry.lifetimeSeconds !== tokenLifetimeSeconds)
    return failed(
      `tokens that live ${tokenLifetimeSeconds} s, where ${expiry.lifetimeSeconds} s are agreed (MRS_TOKEN_LIFETIME)`,
      expired,
    );
  const isLate = 'late' in expiry && expiry.late !== undefined;
  if (isLate || isSuccess(expired)) return failed('that the token has expired by then', expired);
  const late = decided(data.late);
  if ('verdict' in late) return late;
  return isSuccess(late) ? passed(expired) : failed('that the token lives until then', late);
}

function judgeOperation(id: string, profile: Profile, evidence: Evidence): Judgement | undefined {
  if (id === 'readData') return judgeServed(evidence.data.first);
  if (id.startsWith('checkHealth')) return judgeHealth(id, profile, evidence);
  return undefined;
}

function judgeHealth(id: string, profile: Profile, evidence: Evidence): Judgement | undefined {
  const own = profile.operations.find((one) => one.id === id);
  const asked = evidence.health.map(({ plain }) => plain).filter((one) => 'id' in one);
  const atPath = asked.filter(({ request }) => request.path === own?.path);
  const byMethod = atPath.filter(({ request }) => request.method === own?.method);
  // What does not answer GET was asked by HEAD instead.
  const met = byMethod.length > 0 ? byMethod : atPath.filter(({ request }) => request.method === 'HEAD');
  if (met.length === 0) return undefined;
  return allOf(
    met.map((exchange) => {
      const served = settled(exchange);
      if ('verdict' in served) return served;
      return exchange.request.method === own?.method
        ? judgeServed(exchange)
        : failed(`that ${own?.path} answers ${own?.method}`, served);
    }),
  );
}

function judgeServed(probe: Probe): Judgement {
  const exchange = settled(probe);
  if ('verdict' in exchange) return exchange;
  return isSuccess(exchange) ? passed(exchange) : failed('a 2xx status', exchange);
}
