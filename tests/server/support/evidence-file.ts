/**
 * The evidence of a run as a file, which can be judged again without a request: a HAR 1.2 file with an entry for each
 * exchange. What HAR has no member for is in `_mrs` of the log and of each entry.
 */
import { readFileSync } from 'node:fs';
import { digestOf } from '../../report/publish.ts';
import { REPORT_BYTES, readBounded } from '../../support/files.ts';
import { compileOwn } from '../../support/own-schema.ts';
import { UsageError } from '../../support/usage-error.ts';
import { version } from '../../support/version.ts';
import { type Profile, profileIn } from '../profile.ts';
import { requests } from '../requests.ts';
import { type Evidence, type Exchange, exchanges, mapExchanges } from './evidence.ts';

const FORMAT = 'mrs-contract evidence';
/** Raised when an older file can no longer be judged. */
const FORMAT_VERSION = 5;

interface EvidenceFile {
  format: string;
  version: number;
  /** Version of the suite that gathered it. */
  suite: string;
  /** The contract with the profile of the run merged into it; absent where nothing was declared. */
  contract?: Record<string, unknown>;
  evidence: Evidence;
}

/** What a file holds. */
export interface ReadEvidence {
  evidence: Evidence;
  profile: Profile | undefined;
}

/** What the file holds. Evidence is redacted when it is gathered, so that no secret is in it. */
export function fileOf(evidence: Evidence, profile?: Profile) {
  return {
    log: {
      version: '1.2',
      creator: { name: 'mrs-contract', version },
      _mrs: {
        format: FORMAT,
        version: FORMAT_VERSION,
        ...(profile && { contract: profile.document }),
        // In the place of an exchange, the id of its entry.
        evidence: mapExchanges(evidence, ({ id }) => ({ entry: id }) as unknown as Exchange),
      },
      entries: exchanges(evidence).map((exchange) => entryOf(exchange, evidence)),
    },
  };
}

type HarFile = ReturnType<typeof fileOf>;

/** The file as text. */
export const writeEvidence = (evidence: Evidence, profile?: Profile): string =>
  `${JSON.stringify(fileOf(evidence, profile))}\n`;

const pairs = (headers: Exchange['request']['headers']) => headers.map(([name, value]) => ({ name, value }));
/** HAR has members for what a recorder may not know. */
const UNKNOWN = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1, bodySize: -1 };

function entryOf({ request, response, ...exchange }: Exchange, { target, startedAt }: Evidence) {
  const { status = 0, headers = [], excerpt = '', bodyBytes = 0, ...rest } = response ?? {};
  const { form } = request;
  return {
    startedDateTime: new Date(Date.parse(startedAt) + exchange.sentAtMs).toISOString(),
    time: exchange.durationMs,
    request: {
      ...UNKNOWN,
      method: request.method,
      url: target.baseUrl + request.path,
      headers: pairs(request.headers),
      queryString: [],
      ...(form && {
        postData: {
          mimeType: 'application/x-www-form-urlencoded',
          params: Object.entries(form).map(([name, value]) => ({ name, value })),
        },
      }),
    },
    response: {
      ...UNKNOWN,
      status,
      statusText: '',
      headers: pairs(headers),
      content: { size: bodyBytes, mimeType: response?.mediaType ?? '', text: excerpt },
      redirectURL: '',
    },
    cache: {},
    timings: { send: 0, wait: exchange.durationMs, receive: 0 },
    comment: exchange.what,
    _mrs: { ...exchange, path: request.path, ...(response && { response: rest }) },
  };
}

/** The exchange of an entry. Throws where the entry has another form. */
function exchangeOf({
  request,
  response,
  _mrs: { path, response: rest, ...exchange },
}: HarFile['log']['entries'][number]): Exchange {
  const list = (headers: { name: string; value: string }[]) =>
    headers.map(({ name, value }) => [name, value] as const);
  const { method, headers, postData } = request;
  const form = postData && Object.fromEntries(postData.params.map(({ name, value }) => [name, value]));
  const { status, content } = response;
  return {
    ...exchange,
    request: { method, path, headers: list(headers), ...(form && { form }) },
    ...(rest && {
      response: {
        ...rest,
        status,
        headers: list(response.headers),
        bodyBytes: content.size,
        excerpt: content.text,
      } as NonNullable<Exchange['response']>,
    }),
  };
}

/** What a file of this form holds, with its exchanges in their places. Throws for another form. */
function withExchanges({ log }: HarFile): EvidenceFile {
  const { format, version: own, contract, evidence } = log._mrs;
  const byId = new Map(log.entries.map((entry) => [entry._mrs.id, exchangeOf(entry)]));
  const visit = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(visit);
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value);
    const [first] = members;
    if (members.length === 1 && first?.[0] === 'entry') return byId.get(String(first[1]));
    return Object.fromEntries(members.map(([name, member]) => [name, visit(member)]));
  };
  return {
    format,
    version: own,
    suite: log.creator.version,
    ...(contract && { contract }),
    evidence: visit(evidence) as Evidence,
  };
}

/** Reads a file of this run. */
export const readEvidence = (file: string): ReadEvidence =>
  contentOf(withExchanges(JSON.parse(readFileSync(file, 'utf8'))));

const contentOf = ({ evidence, contract }: EvidenceFile): ReadEvidence => ({
  evidence,
  profile: contract && profileIn(contract),
});

/** Reads a file that may come from anywhere. Throws UsageError with what is wrong with it. */
export function readForeignEvidence(file: string): ReadEvidence & { digest: string } {
  const text = textOf(file);
  return { ...foreignEvidence(text, file), digest: digestOf(text.trimEnd()) };
}

/** The evidence in a text that may come from anywhere; `file` names it. Throws UsageError with what is wrong with it. */
export function foreignEvidence(text: string, file: string): ReadEvidence {
  const content = parse(text, file);
  const { _mrs: stated, creator } = Object(Object(content).log) as Partial<HarFile['log']>;
  const { format, version: own } = Object(stated) as Partial<HarFile['log']['_mrs']>;
  const suite: unknown = creator?.version;
  if (format !== FORMAT)
    throw new UsageError(`${file} is not evidence of a run. Name an evidence.har that mrs verify wrote.`);
  if (typeof own === 'number' && own !== FORMAT_VERSION)
    throw new UsageError(
      `${file} has the evidence format ${own}, written by mrs-contract ${typeof suite === 'string' ? suite.slice(0, 20) : '(unknown)'}; ` +
        `this is ${version}, which reads format ${FORMAT_VERSION}. Judge it with that version.`,
    );
  const whole = orUndefined(() => withExchanges(content as HarFile));
  const problem = whole ? problemIn(whole) : 'an entry has another form than those that mrs verify writes';
  if (problem !== undefined)
    throw new UsageError(`${file} is damaged: ${problem}. Run mrs verify again, or name another file.`);
  return contentOf(whole as EvidenceFile);
}

function orUndefined<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

const unreadable = (file: string, why: string) =>
  new UsageError(`${file} cannot be read as evidence (${why}). Name an evidence.har that mrs verify wrote.`);

function textOf(file: string): string {
  try {
    return readBounded(file, REPORT_BYTES, { followsLink: true }).toString();
  } catch (error) {
    throw unreadable(file, (error as NodeJS.ErrnoException).code ?? 'unknown error');
  }
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable(file, 'it is not JSON');
  }
}

function problemIn(content: unknown): string | undefined {
  const validate = compileOwn(SCHEMA);
  if (!validate(content)) {
    // Of what can have two forms, the deepest error says most.
    const deepest = (validate.errors ?? []).toSorted(
      (a, b) => depth(b.instancePath) - depth(a.instancePath),
    )[0];
    return `${deepest?.instancePath || 'the file'} ${deepest?.message}`;
  }
  const { evidence, contract } = content as EvidenceFile;
  return evidence.profile && !contract ? 'it names a profile, and lacks its contract' : undefined;
}

const depth = (pointer: string) => pointer.split('/').length;

/** An object with these members, all of them but those that are optional. */
const object = (properties: Record<string, object>, ...optional: string[]) => ({
  type: 'object',
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  properties,
});
const list = (items: object) => ({ type: 'array', items });
const STRING = { type: 'string' };
const NUMBER = { type: 'number' };
const COUNT = { type: 'integer', minimum: 0 };
const STRINGS = list(STRING);
const HEADERS = list({ ...STRINGS, minItems: 2, maxItems: 2 });

const RESPONSE = object(
  {
    status: { type: 'integer' },
    mediaType: STRING,
    headers: HEADERS,
    bodyBytes: COUNT,
    digest: { type: 'string', pattern: '^[0-9a-f]{64}$' },
    excerpt: STRING,
    json: object({ wellFormed: { type: 'boolean' } }),
    declared: object({ mismatches: { type: 'object' } }),
    feed: object({ records: NUMBER, findings: { type: 'array' } }),
    tokenResponse: object({ issued: { type: 'boolean' }, mismatches: { type: 'array' } }),
  },
  ...['mediaType', 'declared', 'feed', 'tokenResponse'],
);

const EXCHANGE = {
  ...object(
    {
      id: { type: 'string', pattern: '^x\\d+$' },
      what: STRING,
      request: object(
        {
          method: STRING,
          path: STRING,
          headers: HEADERS,
          form: { type: 'object', additionalProperties: STRING },
        },
        'form',
      ),
      sentAtMs: COUNT,
      durationMs: COUNT,
      waitedSeconds: NUMBER,
      failure: STRING,
      again: { const: true },
      response: RESPONSE,
    },
    ...['waitedSeconds', 'failure', 'again', 'response'],
  ),
  oneOf: [{ required: ['response'] }, { required: ['failure'] }],
};

const TARGET = object(
  {
    baseUrl: STRING,
    clientId: STRING,
    tokenLifetimeSeconds: { type: 'number', exclusiveMinimum: 0 },
    healthPaths: STRINGS,
    headers: list(
      object({ name: STRING, variable: { type: 'string', pattern: '^[A-Za-z_][A-Za-z0-9_]*$' } }),
    ),
    userAgent: STRING,
    hasOwnAuthorities: { const: true },
    bundledMock: { const: true },
  },
  ...['tokenLifetimeSeconds', 'headers', 'userAgent', 'hasOwnAuthorities', 'bundledMock'],
);

const PROBE = { anyOf: [object({ what: STRING, notSent: STRING }), EXCHANGE] };

const groupOf = (group: string, ...others: string[]) => ({
  type: 'object',
  required: [
    ...requests.flatMap(({ key }) => (key.startsWith(`${group}.`) ? [key.slice(group.length + 1)] : [])),
    ...others,
  ],
  properties: { refusedTokens: list(PROBE), repeated: list(PROBE) },
  additionalProperties: PROBE,
});

const SCHEMA = object(
  {
    version: { const: FORMAT_VERSION },
    suite: STRING,
    contract: { type: 'object', required: ['paths', 'x-profile'] },
    evidence: object(
      {
        token: groupOf('token'),
        data: groupOf('data'),
        open: groupOf('open', 'refusedTokens', 'repeated'),
        health: list({ type: 'object', required: ['plain'], additionalProperties: PROBE }),
        expiry: object(
          {
            kind: { enum: ['clock', 'waited', 'asserted', 'none'] },
            lifetimeSeconds: NUMBER,
            ageSeconds: NUMBER,
            late: object({ acceptedSeconds: NUMBER, refusedSeconds: NUMBER }),
          },
          ...['lifetimeSeconds', 'ageSeconds', 'late'],
        ),
        profile: object({ name: STRING, title: STRING, notOffered: STRINGS }),
        target: TARGET,
        startedAt: { type: 'string', format: 'date-time' },
        durationMs: NUMBER,
        requests: COUNT,
      },
      'profile',
    ),
  },
  'contract',
);
