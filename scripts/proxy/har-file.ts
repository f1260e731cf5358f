/**
 * The HAR 1.2 file of what passes. It is whole after each call, and no secret is ever in it: every text is one of the words below, or
 * the id of a client that got a token, or a number in the order in which such texts came up, so that they stay comparable.
 */
import { hash } from 'node:crypto';
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import type { Entry } from 'har-format';
import { HIDDEN } from '../../mocks/journal.ts';
import { redirectOf } from '../../tests/client/recorded.ts';
import type { Description, Recorded } from '../../tests/server/recorded.ts';
import { mediaTypeOf } from '../../tests/server/support/json.ts';
import { replaceFile } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import { authorizationOf, bearerOf, credentialsIn, formOf } from '../../tests/traffic/credentials.ts';
import {
  type AnswerHeader,
  acceptIn,
  answerHeader,
  type Field,
  type RequestHeader,
  requestHeader,
} from '../../tests/traffic/exchange.ts';
import { harEntry } from '../../tests/traffic/har.ts';
import { isMadeUp } from '../../tests/traffic/tokens.ts';
import type { JudgedRecording } from '../judge/judge-recording.ts';

const CREATOR = JSON.stringify({ name: 'mrs proxy', version });
const HEAD = `{"log":{"version":"1.2","creator":${CREATOR},"entries":[`;
const END = '\n]}}\n';
const lineOf = (entry: Entry, isFirst: boolean) => (isFirst ? '\n' : ',\n') + JSON.stringify(entry);
const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? 'unknown error';

/** Replaces the file. Throws UsageError for a device, a pipe or a directory, which must not be replaced, and where none can be made. */
export function createHarFile(file: string, baseUrl: string) {
  const descriptor = opened(file);
  /** Ids with which a token was issued: another may be a secret in the wrong place. */
  const clients = new Set<string>();
  const entryOf = createEntryWriter(baseUrl, (id) => (clients.has(id) ? id : undefined));
  let end = HEAD.length;
  let isBroken = false;
  /** Returns what went wrong, as a sentence. */
  const attempt = (write: () => void): string | undefined => {
    try {
      write();
      return undefined;
    } catch (error) {
      isBroken = true;
      return `${file} could not be written (${codeOf(error)}).`;
    }
  };
  return {
    /** Writes a call in the place of the end of the file, and the end after it. Returns what goes wrong first. */
    add(call: Recorded): string | undefined {
      if (isBroken) return undefined;
      return attempt(() => {
        const { clientId } = credentialsIn(call);
        if (clientId !== undefined && call.brings.token) clients.add(clientId);
        const bytes = Buffer.from(lineOf(entryOf(call), end === HEAD.length) + END);
        writeSync(descriptor, bytes, 0, bytes.length, end);
        end += bytes.length - END.length;
      });
    },
    /** Replaces the file by one with what no call alone shows: the ids of all clients. */
    finish({ secrets, calls }: Pick<JudgedRecording, 'secrets' | 'calls'>) {
      closeSync(descriptor);
      const lastOf = createEntryWriter(baseUrl, (id) => secrets.redact(id));
      function* lines() {
        yield HEAD;
        for (const [at, call] of calls.entries()) yield lineOf(lastOf(call), at === 0);
        yield END;
      }
      return attempt(() => replaceFile(file, lines(), 0o600));
    },
  };
}

/** Throws UsageError for a device, a pipe or a directory, which must not be replaced. */
export function checkHarFile(file: string): void {
  if (!(statSync(file, { throwIfNoEntry: false })?.isFile() ?? true)) throw unwritable(file, 'not a file');
}

function opened(file: string): number {
  checkHarFile(file);
  try {
    replaceFile(file, HEAD + END, 0o600);
    return openSync(file, 'r+');
  } catch (error) {
    throw unwritable(file, codeOf(error));
  }
}

const unwritable = (file: string, problem: string) =>
  new UsageError(
    `--har "${file}" cannot be written (${problem}). Name a new file, or one to replace, in a directory that you can write to.`,
  );

// Texts that are written as they are; every other one has a number.

const SEGMENTS = /^(|\.{1,2}|(%2e){1,2}|token|ods_data|health|api|v\d)$/i;
const FIELDS = /^(grant_type|client_id|client_secret|access_token)$/;
/** Names of other fields that say that the value may identify a client. */
const MAY_IDENTIFY = /token|secret|client_id|key|^‹/i;
/** What is not one of these may be anything (RFC 6749, 4). */
const GRANTS = /^(client_credentials|password|authorization_code|refresh_token|implicit)$/;
const MEDIA_TYPES =
  /^(|(\*|application|image|text)\/(\*|csv|html|(problem\+)?json|octet-stream|plain|(xhtml\+)?xml|x-www-form-urlencoded))$/i;
const PARAMETERS = /^(q=[\d.]{1,5}|charset=utf-8)$/i;
/** Names of members by which the judges tell errors from data, and those of tokens. */
const MEMBERS =
  /^(|errors?|message|msg|detail|title|status|code|reason|fault|success|ok|loc|location|field|path|pointer|source|domain|type|input|value|ctx|url|id|links|meta|data|ods_data|token|access[_-]?token|id_token|bearer|jwt)$/i;
/** Seconds or a date (RFC 9110 section 10.2.3). */
const TIMES = /^(\d{1,9}|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT)$/;
/** In the place of a value of which only matters whether it was sent. */
const LEFT_OUT = '‹…›';
/** No more segments of a path and fields are written. */
const MOST_FIELDS = 300;

/** `idOf`: the id of a client, where it may be shown. */
function createEntryWriter(
  baseUrl: string,
  idOf: (id: string) => string | undefined,
): (call: Recorded) => Entry {
  const numbered = createNumbers();

  const word = (text: string, known: RegExp, kind: string) =>
    known.test(text) ? text : numbered(kind, text);
  const marked = (kind: string, text: string) => `‹${numbered(kind, text)}›`;
  const shownId = (id: string) => idOf(id.slice(0, 100)) ?? numbered('client', id);
  const member = (name: string) => word(name, MEMBERS, /^error[_-]/i.test(name) ? 'error' : 'name');
  const shownPath = (path: string) =>
    path
      .split('/', MOST_FIELDS)
      .map((one) => word(one, SEGMENTS, 'path'))
      .join('/');

  function field([name, value]: Field): [string, string] {
    const shown = word(name, FIELDS, MAY_IDENTIFY.test(name) ? 'key' : 'name');
    if (value === '') return [shown, ''];
    if (name === 'client_id') return [name, shownId(value)];
    if (name === 'client_secret') return [name, marked('secret', value)];
    if (name === 'grant_type') return [name, word(value, GRANTS, 'grant')];
    return [shown, marked('value', `${name}=${value}`)];
  }

  function mediaTypes(text: string | undefined): string | undefined {
    const ranges = text?.slice(0, 200).split(',');
    const shown = ranges?.map((range) => {
      const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
      const isKnown = MEDIA_TYPES.test(type);
      const other = `x/${numbered('type', type)}${/\+json$/i.test(type) ? '+json' : ''}`;
      return [isKnown ? type : other, ...parameters.filter((one) => PARAMETERS.test(one))].join('; ');
    });
    return shown?.join(', ');
  }

  /** What clients send in the place of a token is not one. */
  function authorization(call: Recorded): string | undefined {
    const kind = authorizationOf(call);
    if (kind !== 'bearer') return kind && HIDDEN;
    const token = bearerOf(call) ?? '';
    return `Bearer ${isMadeUp(token) ? 'undefined' : marked('token', token)}`;
  }

  /** Digests only show what is equal: numbers do so too, and no short value can be guessed from them. */
  function responseOf({ response }: Recorded): Description['response'] {
    if (!response) return undefined;
    const { bodyBytes, digest, excerpt, json, tokenResponse } = response;
    const lists = Object.entries(json).filter(([, list]) => Array.isArray(list));
    const { takenFrom, mismatches = [] } = tokenResponse ?? {};
    return {
      ...{ bodyBytes, digest: numbered('body', digest), excerpt: /^[[{]$/.test(excerpt) ? excerpt : '' },
      json: { ...json, ...Object.fromEntries(lists.map(([name, list]) => [name, list.map(member)])) },
      ...(tokenResponse && {
        tokenResponse: {
          ...tokenResponse,
          ...(takenFrom && { takenFrom: takenFrom.split('/').map(member).join('/') }),
          mismatches: mismatches.map(({ expected, ...one }) => ({
            ...one,
            expected: expected.replace(/, but there is .*$/s, ''),
          })),
        },
      }),
    };
  }

  return (call) => {
    const { kind, method, path, answer, response, token, sentMs, answeredMs, proxyAnswer } = call;
    const query = new URLSearchParams(call.query.slice(0, MOST_FIELDS).map(field));
    const { clientId, clientSecret } = kind === 'token' ? credentialsIn(call) : {};
    const mediaType = answer && mediaTypes(mediaTypeOf(answer.headers));
    const location = redirectOf(call);
    const retryAfter = answerHeader(answer, 'retry-after');
    const sent = (name: RequestHeader) => requestHeader(call, name);
    const isDescribed = call.hasBody && kind !== 'other';
    return {
      ...harEntry({
        ...{ sentMs, tookMs: Math.round((answeredMs - sentMs) * 1000) / 1000 },
        request: {
          method,
          url: baseUrl + (kind === 'other' ? shownPath(path) : path) + (query.size > 0 ? `?${query}` : ''),
          headers: present({
            accept: mediaTypes(acceptIn(call.headers)),
            'content-type': mediaTypes(sent('content-type')),
            authorization: authorization(call),
            cookie: sent('cookie') && LEFT_OUT,
            'if-modified-since': sent('if-modified-since') && LEFT_OUT,
            'if-none-match': sent('if-none-match') && LEFT_OUT,
          } satisfies Record<RequestHeader, string | undefined>),
        },
        form: formOf(call)?.slice(0, MOST_FIELDS).map(field),
        answer: {
          ...{ status: answer?.status ?? 0, mediaType, bytes: response?.bodyBytes ?? 0 },
          headers: present({
            'content-type': mediaType,
            'retry-after': retryAfter && word(retryAfter, TIMES, 'time'),
            location: location && shownPath(location),
          } satisfies Record<AnswerHeader, string | undefined>),
        },
      }),
      ...(proxyAnswer !== undefined && { _proxyAnswer: proxyAnswer }),
      _misplaced: call.misplaced,
      _mrs: {
        // They may be in another place than the form.
        ...(clientId && { client: shownId(clientId) }),
        ...(clientSecret && { secret: marked('secret', clientSecret) }),
        ...(isDescribed && kind === 'token' && token !== undefined && { token: marked('token', token) }),
        ...(isDescribed && { response: responseOf(call) }),
      },
    };
  };
}

/** Those of the fields that have a value. */
const present = (fields: Record<string, string | undefined>): Field[] =>
  Object.entries(fields).flatMap(([name, value]): Field[] => (value === undefined ? [] : [[name, value]]));

/** Of texts that have a number of their own; the others share one. */
const MOST_NUMBERED = 300_000;

/** Gives each text of a kind a number, such as `path-1`. */
function createNumbers(): (kind: string, text: string) => string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  return (kind, text) => {
    const key = kind + hash('sha256', text, 'base64');
    const known = names.get(key);
    if (known !== undefined || names.size === MOST_NUMBERED) return known ?? `${kind}-0`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(key, `${kind}-${count}`);
    return `${kind}-${count}`;
  };
}
