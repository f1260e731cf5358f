/**
 * The evidence of a run as a file, which can be judged again without a request: a HAR 1.2 file with an entry for each
 * exchange. What HAR has no member for is in `_mrs` of the log and of each entry.
 */
import { compileOwn, faultIn, listOf, objectOf } from '../../support/own-schema.ts';
import { UsageError } from '../../support/usage-error.ts';
import { version } from '../../support/version.ts';
import { harEntry } from '../../traffic/har.ts';
import { type Profile, profileIn } from '../profile.ts';
import { requests } from '../requests.ts';
import { type Evidence, type Exchange, exchanges, mapExchanges, notSent, type Response } from './evidence.ts';

/** The `format` of such a file. */
export const FORMAT = 'mrs-contract evidence';
/** Raised when an older file can no longer be judged. A request that a run did not know is only missing in its file. */
const FORMAT_VERSION = 8;

/** What a file holds. */
export interface ReadEvidence {
  evidence: Evidence;
  profile: Profile | undefined;
}

/** The file. Evidence is redacted when it is gathered, so that no secret is in it. */
export function fileOf(evidence: Evidence, profile?: Profile) {
  return {
    log: {
      version: '1.2',
      creator: { name: 'mrs-contract', version },
      _mrs: {
        format: FORMAT,
        version: FORMAT_VERSION,
        // With the profile of the run merged into it; absent where nothing was declared.
        ...(profile && { contract: profile.document }),
        // In the place of an exchange, the id of its entry.
        evidence: mapExchanges(evidence, ({ id }) => ({ entry: id }) as unknown as Exchange),
      },
      entries: exchanges(evidence).map((exchange) => entryOf(exchange, evidence)),
    },
  };
}

type HarFile = ReturnType<typeof fileOf>;

function entryOf({ request, response, ...exchange }: Exchange, { target, startedAt }: Evidence) {
  const { status = 0, headers = [], excerpt = '', bodyBytes = 0, ...rest } = response ?? {};
  const { method, path, headers: sent, form } = request;
  const entry = harEntry({
    ...{ sentMs: Date.parse(startedAt) + exchange.sentAtMs, tookMs: exchange.durationMs },
    request: { method, url: target.baseUrl + path, headers: sent },
    form: form && Object.entries(form),
    answer: { status, headers, mediaType: response?.mediaType, bytes: bodyBytes },
  });
  const content = { ...entry.response.content, text: excerpt };
  return {
    ...{ ...entry, response: { ...entry.response, content }, comment: exchange.what },
    _mrs: { ...exchange, path, ...(response && { response: rest }) },
  };
}

/** The exchange of an entry. Throws where the entry has another form. */
function exchangeOf({
  request: { method, headers, postData },
  response: { status, content, headers: received },
  _mrs: { path, response: rest, ...exchange },
}: HarFile['log']['entries'][number]): Exchange {
  const list = (some: { name: string; value: string }[]) =>
    some.map(({ name, value }) => [name, value] as const);
  const form = postData && Object.fromEntries(list(postData.params));
  const own = { status, headers: list(received), bodyBytes: content.size, excerpt: content.text };
  return {
    ...exchange,
    request: { method, path, headers: list(headers), ...(form && { form }) },
    ...(rest && { response: { ...rest, ...own } as Response }),
  };
}

/** The evidence of a file, with its exchanges in their places. Throws for another form. */
function evidenceOf({ log: { entries, _mrs } }: HarFile): Evidence {
  const byId = new Map(entries.map((entry) => [entry._mrs.id, exchangeOf(entry)]));
  return mapExchanges(_mrs.evidence, (place) => byId.get(String(Object(place).entry)) as Exchange);
}

const unreadable = (file: string, why: string) =>
  new UsageError(`${file} cannot be read as evidence: ${why}. Name an evidence.har that mrs verify wrote.`);

/** The evidence in a text that may come from anywhere; `file` names it. Throws UsageError with what is wrong with it. */
export function foreignEvidence(text: string, file: string): ReadEvidence {
  const json = attempt(() => JSON.parse(text) as unknown);
  if (json === undefined) throw unreadable(file, 'it is not JSON');
  const { _mrs, creator } = Object(Object(json).log) as Partial<HarFile['log']>;
  const { format, version: own, contract } = Object(_mrs) as Partial<HarFile['log']['_mrs']>;
  if (format !== FORMAT) throw unreadable(file, 'it is not evidence of a run');
  const suite: unknown = creator?.version;
  const writer = `mrs-contract ${typeof suite === 'string' ? suite.slice(0, 20) : '(unknown)'}`;
  if (typeof own === 'number' && own !== FORMAT_VERSION)
    throw new UsageError(
      `${file} has the evidence format ${own} of ${writer}; this is ${version}, which reads format ${FORMAT_VERSION}. Judge it with that version.`,
    );
  const evidence = attempt(() => evidenceOf(json as HarFile));
  const problem = evidence
    ? problemIn({ version: own, suite, ...(contract && { contract }), evidence })
    : 'an entry has another form than those that mrs verify writes';
  if (!evidence || problem !== undefined)
    throw new UsageError(`${file} is damaged: ${problem}. Run mrs verify again, or name another file.`);
  // A newer suite may have requests that the run did not know: what takes them could not run.
  const unknown = notSent('a request', `${writer}, which made the file, did not send it.`);
  for (const { key } of requests) evidence.probes[key] ??= unknown;
  return { evidence, profile: contract && profileIn(contract) };
}

function attempt<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function problemIn(content: { version: unknown; suite: unknown; contract?: object; evidence: Evidence }) {
  const validate = compileOwn(SCHEMA);
  if (!validate(content)) return faultIn(validate, 'the file');
  return content.evidence.profile && !content.contract
    ? 'it names a profile, and lacks its contract'
    : undefined;
}

const [STRING, NUMBER, TRUE] = [{ type: 'string' }, { type: 'number' }, { const: true }];
const COUNT = { type: 'integer', minimum: 0 };
const HEADERS = listOf({ ...listOf(STRING), minItems: 2, maxItems: 2 });

const RESPONSE = objectOf({
  ...{ status: { type: 'integer' }, 'mediaType?': STRING, headers: HEADERS, bodyBytes: COUNT },
  ...{ digest: { type: 'string', pattern: '^[0-9a-f]{64}$' }, excerpt: STRING },
  json: objectOf({ wellFormed: { type: 'boolean' } }),
  'declared?': objectOf({ mismatches: { type: 'object' } }),
  'feed?': objectOf({ records: NUMBER, findings: listOf() }),
  'tokenResponse?': objectOf({ issued: { type: 'boolean' }, mismatches: listOf() }),
});

const FORM = { type: 'object', additionalProperties: STRING };
const EXCHANGE = {
  ...objectOf({
    ...{ id: { type: 'string', pattern: '^x\\d+$' }, what: STRING, sentAtMs: COUNT, durationMs: COUNT },
    request: objectOf({ method: STRING, path: STRING, headers: HEADERS, 'form?': FORM }),
    ...{ 'waitedSeconds?': NUMBER, 'failure?': STRING, 'again?': TRUE, 'response?': RESPONSE },
  }),
  anyOf: [{ required: ['response'] }, { required: ['failure'] }],
};
// The first error counts: of an exchange, it says more.
const PROBE = { anyOf: [EXCHANGE, objectOf({ what: STRING, notSent: STRING })] };

const SCHEMA = objectOf({
  version: { const: FORMAT_VERSION },
  suite: STRING,
  'contract?': { type: 'object', required: ['paths', 'x-profile'] },
  evidence: objectOf({
    probes: { type: 'object', additionalProperties: PROBE },
    ...{ refusedTokens: listOf(PROBE), repeated: listOf(PROBE) },
    health: listOf({ type: 'object', required: ['plain'], additionalProperties: PROBE }),
    expiry: objectOf({
      kind: { enum: ['waited', 'asserted', 'none'] },
      ...{ 'lifetimeSeconds?': NUMBER, 'ageSeconds?': NUMBER },
      'late?': objectOf({ acceptedSeconds: NUMBER, refusedSeconds: NUMBER }),
    }),
    'profile?': objectOf({ name: STRING, title: STRING, notOffered: listOf(STRING) }),
    target: objectOf({
      ...{ baseUrl: STRING, clientId: STRING, healthPaths: listOf(STRING), 'userAgent?': STRING },
      'tokenLifetimeSeconds?': { type: 'number', exclusiveMinimum: 0 },
      // The report gives them to a shell.
      'headers?': listOf(
        objectOf({ name: STRING, variable: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' } }),
      ),
      ...{ 'hasOwnAuthorities?': TRUE, 'bundledMock?': TRUE, 'statesHealthPaths?': TRUE },
    }),
    ...{ startedAt: { type: 'string', format: 'date-time' }, durationMs: NUMBER, requests: COUNT },
    'interrupted?': STRING,
  }),
});
