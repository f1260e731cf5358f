/** Whether a deployment does as its profile declares: the verdicts on the rows that the profile adds to the ledger. */

import { compareFeeds } from '../../feed/compare-feeds.ts';
import { type Finding, isFailure } from '../../feed/findings.ts';
import type { Requirement } from '../../support/requirements.ts';
import type { Declaration, OwedAnswer, Profile } from './declared.ts';
import { at } from './declared.ts';
import { type Answered, type Evidence, exchanges, isAnswered, isSuccess, type Probe } from './evidence.ts';
import {
  answered,
  couldNotRun,
  decided,
  judgeEach,
  notApplicable,
  settled,
  show,
  tellFindings,
  violates,
} from './verdict.ts';

/** Judges a row by each of its declarations. */
export function judgeDeclared({ id }: Requirement, profile: Profile, evidence: Evidence): void {
  const own = profile.declarations.filter(({ answers }) => id === `${answers}@${profile.name}`);
  const judged = own
    .map((declaration) => judgeOf(declaration, profile, evidence))
    .filter((judge) => judge !== undefined);
  if (judged.length === 0 && own.some(({ pointer }) => isUpload(pointer, profile)))
    notApplicable(
      'The deployment keeps the files that it takes, so none is sent by itself. Give --allow-uploads where it may.',
    );
  if (judged.length === 0)
    notApplicable('This run met nothing of it: no request of the suite brings it about by itself.');
  judgeEach(judged, (judge) => judge());
}

const isUpload = (pointer: string, { operations }: Profile): boolean =>
  operations.some((one) => one.upload && one.pointer === pointer);

type Judge = () => void;

/** Undefined where the run had no occasion for it. */
function judgeOf(declaration: Declaration, profile: Profile, evidence: Evidence): Judge | undefined {
  const { pointer } = declaration;
  const { document } = profile;
  const records = document['x-records'] as { schema: string } | undefined;
  if (records && [`/components/schemas/${records.schema}`, '/x-records'].includes(pointer))
    return () => judgeRecords(evidence);
  if (pointer === '/components/securitySchemes/accessToken') return () => judgeLifetime(profile, evidence);
  const operation = profile.operations.find(
    (one) => one.pointer === pointer || `${one.pointer}/`.startsWith(`${pointer}/`),
  );
  if (operation) return judgeOperation(operation.id, profile, evidence);
  const owed = profile.answers.filter(
    ({ pointers, schemas }) =>
      pointers.includes(pointer) || schemas.some((schema) => refersTo(document, schema, pointer)),
  );
  const met = owed.flatMap((one) => probesFor(one, profile, evidence).map((probe) => ({ one, probe })));
  if (met.length === 0) return undefined;
  return () => judgeEach(met, ({ one, probe }) => judgeAnswer(one, probe));
}

/** Whether what stands at `pointer` has a say in the schema, however deep. */
function refersTo(document: unknown, schema: string, pointer: string, seen = new Set<string>()): boolean {
  if (`${pointer}/`.startsWith(`${schema}/`)) return true;
  if (seen.has(schema)) return false;
  seen.add(schema);
  const refs = [...JSON.stringify(at(document, schema) ?? null).matchAll(/"\$ref":"#([^"]+)"/g)];
  return refs.some(([, to = '']) => refersTo(document, to, pointer, seen));
}

/** The requests of a run that meet a condition. */
export function probesFor(
  { operation, when, status }: Pick<OwedAnswer, 'operation' | 'when' | 'status'>,
  profile: Pick<Profile, 'operations'>,
  evidence: Evidence,
): Probe[] {
  const { token, data } = evidence;
  const served = [data.third, data.late, data.freshToken].filter(isAnswered).filter(isSuccess);
  const probes: Record<string, Probe[]> = {
    'obtainToken valid-credentials': [token.valid, token.again],
    'obtainToken malformed-request': [
      token.withoutGrantType,
      token.withoutClientId,
      token.withoutClientSecret,
    ],
    'obtainToken other-grant-type': [token.otherGrantType],
    'obtainToken wrong-credentials': [token.unknownClientId, token.wrongClientSecret],
    'readData valid-token': [data.first, data.second, ...served],
    'readData missing-token': [data.withoutToken],
    'readData malformed-token': [data.malformedToken],
    'readData unknown-token': [data.unknownToken],
    'readData expired-token': [data.expiredToken],
  };
  if (operation.startsWith('checkHealth'))
    return when === 'any-request' ? healthProbes(operation, profile, evidence) : [];
  // Nothing is done to bring a limit about; where one was met, it is looked at.
  if (when === 'rate-limited')
    return exchanges(evidence).filter((one) => one.response?.status === status && one.response.declared);
  return probes[`${operation} ${when}`] ?? [];
}

function judgeAnswer(
  { operation, status, mediaType, schemas, when, drafted }: OwedAnswer,
  probe: Probe,
): void {
  const exchange = settled(probe);
  const { response } = exchange;
  const as = drafted ? ' as drafted' : '';
  if (response.status !== status) violates(`status ${status}${as}`, exchange);
  if (mediaType !== undefined && response.mediaType !== mediaType)
    violates(`the media type ${mediaType}${as}`, exchange);
  if (schemas.length > 0 && /json$/.test(mediaType ?? '') && !response.json.wellFormed) {
    if (operation === 'readData')
      couldNotRun('The data is no JSON, so nothing can be told of its shape (see MRS-4.2b).');
    violates(`a body of JSON${as}`, exchange);
  }
  const outside = response.feed?.findings.find(({ rule }) => rule === 'envelope');
  if (outside) violates(inWords(outside), exchange);
  const [first] = response.declared?.mismatches[when] ?? [];
  if (first) violates(`that ${first.pointer || 'its body'} ${first.message}${as}`, exchange);
  show(exchange);
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
function feedsOf({ data }: Evidence): Answered[] {
  const served = [data.first, data.second, data.third, data.late, data.freshToken];
  return served.filter(isAnswered).filter(({ response }) => response.feed);
}

function judgeRecords(evidence: Evidence): void {
  const first = settled(evidence.data.first);
  if (!isSuccess(first)) couldNotRun(`The data was not served (see MRS-4.2a), so there are no records.`);
  const feeds = feedsOf(evidence);
  const [one, ...later] = feeds;
  if (!one) couldNotRun('The data is no JSON, so there are no records to look at (see MRS-4.2b).');
  const before = one.response.feed;
  if (before?.findings.some(({ rule }) => rule === 'envelope'))
    couldNotRun('The list of records is not where the profile has it, so there is none to look at.');
  const told = new Map<string, { finding: Finding; exchange: Answered }>();
  for (const exchange of feeds) {
    const after = exchange.response.feed;
    const between = before && after && exchange !== one ? compareFeeds(before, after) : [];
    for (const finding of [...(after?.findings ?? []), ...between])
      if (finding.rule !== 'envelope' && !told.has(finding.rule))
        told.set(finding.rule, { finding, exchange });
  }
  const found = [...told.values()];
  // What had not ended at the first read, and is there long after its end, is told as that.
  const isStale = told.has('stale');
  const failures = found.filter(({ finding }) => isFailure(finding) && !(isStale && finding.rule === 'past'));
  tellFindings(found.map(({ finding }) => finding));
  const [gravest] = failures;
  if (gravest)
    violates(
      failures.map(({ finding }) => inWords(finding)).join('; '),
      ...new Set(failures.map(({ exchange }) => exchange)),
    );
  if (feeds.every(({ response }) => response.feed?.records === 0))
    notApplicable('The schedule was empty each time, so no record was seen.');
  show(one, ...later);
}

/** `records that keep the rule interval (3 do not: /ods_data/0: …)`. */
function inWords({ rule, count, places }: Finding): string {
  const [place] = places;
  const where = place ? `: ${place.pointer || 'the body'}: ${place.seen}` : '';
  return `records that keep the rule ${rule} (${count} ${count === 1 ? 'does' : 'do'} not${where})`;
}

function judgeLifetime({ tokenLifetimeSeconds }: Profile, { data, expiry }: Evidence): void {
  if (!('lifetimeSeconds' in expiry)) couldNotRun('No token was seen to expire (see MRS-7a).');
  const expired = settled(data.expiredToken);
  if (expiry.lifetimeSeconds !== tokenLifetimeSeconds)
    violates(
      `tokens that live ${tokenLifetimeSeconds} s, where ${expiry.lifetimeSeconds} s are agreed (MRS_TOKEN_LIFETIME)`,
      expired,
    );
  if (isSuccess(expired)) violates('that the token has expired by then', expired);
  const late = decided(data.late);
  if (!isSuccess(late)) violates('that the token lives until then', late);
  show(expired);
}

function judgeOperation(id: string, profile: Profile, evidence: Evidence): Judge | undefined {
  if (id === 'readData') return () => judgeServed(evidence.data.first);
  if (id.startsWith('checkHealth')) {
    const own = profile.operations.find((one) => one.id === id);
    const asked = evidence.health.map(({ plain }) => plain).filter((one) => 'id' in one);
    const atPath = asked.filter(({ request }) => request.path === own?.path);
    const byMethod = atPath.filter(({ request }) => request.method === own?.method);
    // What does not answer GET was asked by HEAD instead.
    const met = byMethod.length > 0 ? byMethod : atPath.filter(({ request }) => request.method === 'HEAD');
    if (met.length === 0) return undefined;
    return () =>
      judgeEach(met, (exchange) => {
        const served = settled(exchange);
        if (exchange.request.method !== own?.method)
          violates(`that ${own?.path} answers ${own?.method}`, served);
        judgeServed(exchange);
      });
  }
  const upload = evidence.uploads?.find(({ operation }) => operation === id);
  if (!upload) return undefined;
  const owed = profile.answers.find(({ operation, when }) => operation === id && when === 'valid-upload');
  return () =>
    judgeEach(
      [
        () => {
          const refused = settled(upload.withoutToken);
          if (isSuccess(refused)) violates('that no file is taken without a token', refused);
          show(refused);
        },
        () => (owed ? judgeAnswer(owed, upload.valid) : judgeServed(upload.valid)),
      ],
      (judge) => judge(),
    );
}

function judgeServed(probe: Probe): void {
  const exchange = settled(answered(probe));
  if (!isSuccess(exchange)) violates('a 2xx status', exchange);
  show(exchange);
}
