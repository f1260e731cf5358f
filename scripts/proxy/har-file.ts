/**
 * Writes what has passed to a HAR 1.2 file: with what the judges made of bodies in their place, and with names in the place of
 * tokens, secrets and values, so that they stay comparable.
 */
import { accessSync, constants, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Entry } from 'har-format';
import { cut, mediaOf, readablePath } from '../../mocks/exchange.ts';
import { HIDDEN, HIDDEN_PATH } from '../../mocks/journal.ts';
import { redirectOf } from '../../tests/client/recorded.ts';
import { redactExchange } from '../../tests/server/probe/api.ts';
import type { Description } from '../../tests/server/recorded.ts';
import type { Response } from '../../tests/server/support/evidence.ts';
import { type Json, mediaTypeOf } from '../../tests/server/support/json.ts';
import { replaceFile } from '../../tests/support/files.ts';
import { plainName } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import { formOf, isMasked } from '../../tests/traffic/credentials.ts';
import {
  type AnswerHeader,
  acceptIn,
  answerHeader,
  type Field,
  FORM_FIELDS,
  fieldNamed,
  type RequestHeader,
  requestHeader,
} from '../../tests/traffic/exchange.ts';
import { harEntry } from '../../tests/traffic/har.ts';
import { isMadeUp } from '../../tests/traffic/tokens.ts';
import type { FoundInTraffic, JudgedCall } from '../judge/judge-recording.ts';

/** What passed, with what was found in it. */
export interface Seen {
  recording: { baseUrl: string };
  judged: FoundInTraffic;
}

/** Throws UsageError for a device, a pipe or a directory, which must not be replaced by a file, and where none can be made. */
export function checkHarName(file: string): void {
  let problem = 'not a file';
  try {
    accessSync(dirname(file), constants.W_OK);
    const isFile = statSync(file, { throwIfNoEntry: false })?.isFile() ?? true;
    if (isFile && file !== '' && !file.endsWith('/')) return;
  } catch (error) {
    problem = (error as NodeJS.ErrnoException).code ?? '';
  }
  throw new UsageError(
    `--har "${file}" cannot be written (${problem}). Name a new file, or one to replace, in a directory that you can write to.`,
  );
}

/** Replaces the file as a whole, or leaves it as it was. Returns what went wrong, as a sentence. */
export function writeHar(file: string, seen: Seen): string | undefined {
  try {
    replaceFile(file, linesOf(seen), 0o600);
    return undefined;
  } catch (error) {
    return `${file} could not be written (${(error as NodeJS.ErrnoException).code}).`;
  }
}

function* linesOf(seen: Seen): Generator<string> {
  const entryOf = createEntryWriter(seen);
  const creator = JSON.stringify({ name: 'mrs proxy', version });
  yield `{"log":{"version":"1.2","creator":${creator},"entries":[`;
  for (const [at, call] of seen.judged.calls.entries())
    yield `${at === 0 ? '\n' : ',\n'}${JSON.stringify(entryOf(call))}`;
  yield '\n]}}\n';
}

/** Below the base URL: they are not secrets, whatever one is like. */
const OPERATIONS: readonly string[] = ['/token/', '/ods_data/'];
/** What is not one of these may be anything (RFC 6749, 4). */
const GRANTS = /^(client_credentials|password|authorization_code|refresh_token|implicit)$/;
/** In the place of a value that the judges need not compare; they take no text that short for a secret. */
const LEFT_OUT = '‹…›';
/** Where a service sends a client to one of its operations: it is not at the wrong path of its own accord then. */
const REDIRECT = /^(\/[\w.-]{1,20}){0,4}\/(token|ods_data)\/*$/i;
/** Seconds or a date (RFC 9110 section 10.2.3); anything else may be a secret. */
const RETRY_AFTER = /^(\d{1,9}|[A-Z][a-z]{2,8},? [\w :-]{10,24} GMT)$/;

function createEntryWriter({ recording: { baseUrl }, judged }: Seen): (call: JudgedCall) => Entry {
  const { secrets, hasAllSecrets, calls } = judged;
  const answers = calls.filter(({ kind, token }) => kind === 'token' && token !== undefined);
  const tokenOf = ({ token = '' }: JudgedCall) => token;
  const issued = new Set(answers.map(tokenOf));
  const named = createNames();
  const tokenName = (token: string) => named(issued.has(token) ? 'token' : 'unknown', token);
  const descriptions = new Map<JudgedCall['response'], Description['response']>();
  /** Free text; where not all secrets are known, it may be one. */
  const free = (text: string, hidden = HIDDEN) => (hasAllSecrets ? secrets.redact(cut(text) ?? '') : hidden);
  const shownId = (id: string) => secrets.redact(id.slice(0, 100));
  const shown = (text: string | undefined) => text && secrets.redact(text);

  return (call) => {
    const { entry, method, path, headers, query, answer, sentMs, answeredMs, proxyAnswer } = call;
    const { clientId, clientSecret, misplaced } = call;
    const form = formOf(call);
    const shownPath = OPERATIONS.includes(path)
      ? path
      : readablePath(free(path, HIDDEN_PATH)).replace(/^(?!\/)/, '/');
    const shownQuery = query.map((pair): [string, string] => [free(plainName(pair[0])), inQuery(...pair)]);
    const search = query.length > 0 ? `?${new URLSearchParams(shownQuery)}` : '';
    const location = redirectOf(call) ?? '';
    const retryAfter = answerHeader(answer, 'retry-after');
    const mediaType = answer && shown(mediaTypeOf(answer.headers));
    /** In the place of a header of which only matters whether it was sent. */
    const ifSent = (name: RequestHeader) => (requestHeader(call, name) === undefined ? undefined : LEFT_OUT);
    return {
      _seq: entry,
      ...harEntry({
        ...{ sentMs, tookMs: Math.round((answeredMs - sentMs) * 1000) / 1000 },
        request: {
          method: secrets.redact(method),
          // What follows this sign would not be read as a part of the path.
          url: baseUrl + shownPath.replaceAll('#', '%23') + search,
          headers: present({
            accept: shown(mediaOf(acceptIn(headers))),
            'content-type': shown(mediaOf(requestHeader(call, 'content-type'))),
            authorization: authorization(call),
            cookie: ifSent('cookie'),
            'if-modified-since': ifSent('if-modified-since'),
            'if-none-match': ifSent('if-none-match'),
          } satisfies Record<RequestHeader, string | undefined>),
        },
        form: form?.map(field),
        answer: {
          ...{ status: answer?.status ?? 0, mediaType, bytes: call.response?.bodyBytes ?? 0 },
          headers: present({
            'content-type': mediaType,
            'retry-after': retryAfter && (RETRY_AFTER.test(retryAfter) ? retryAfter : LEFT_OUT),
            location: REDIRECT.test(location) ? location : undefined,
          } satisfies Record<AnswerHeader, string | undefined>),
        },
      }),
      ...(proxyAnswer !== undefined && { _proxyAnswer: proxyAnswer }),
      _misplaced: misplaced,
      _mrs: {
        // The id and the secret of a client that were not in the form.
        ...(clientId && !fieldNamed(form ?? [], 'client_id') && { client: shownId(clientId) }),
        ...(clientSecret &&
          !fieldNamed(form ?? [], 'client_secret') && { secret: named('secret', clientSecret) }),
        ...descriptionOf(call),
      },
    };
  };

  function descriptionOf({ kind, entry, token, hasBody, response: read }: JudgedCall): Description {
    const id = `x${entry}`;
    const seen = judged.exchanges.get(id);
    if (!hasBody || !seen || kind === 'other') return {};
    if (!descriptions.has(read)) {
      const { response } = redactExchange(seen, secrets);
      const own =
        response && (kind === 'token' || hasAllSecrets) ? described(response, kind === 'token') : undefined;
      descriptions.set(read, own && secrets.seal(own));
    }
    const response = descriptions.get(read);
    return {
      ...(kind === 'token' && token !== undefined && { token: tokenName(token) }),
      ...(response && { response }),
    };
  }

  /** Digests only show what is equal: numbers do so too, and no short value can be guessed from them. */
  function described(response: Response, isToken: boolean): Description['response'] {
    const { bodyBytes, digest, excerpt, json } = response;
    // Without the names of members of a token answer: any may be a token.
    const { fields: _, filled: __, recordFields: ___, ...bare } = json as Extract<Json, { wellFormed: true }>;
    const { takenFrom, mismatches, ...more } = response.tokenResponse ?? NOT_READ;
    const plain = takenFrom?.split('/').map(plainName).join('/');
    return {
      ...{ bodyBytes, digest: named('body', digest), excerpt: /^[[{]$/.test(excerpt) ? excerpt : '' },
      json: (isToken ? bare : json) as Json,
      ...(isToken && {
        tokenResponse: {
          ...{ ...more, ...(plain !== undefined && { takenFrom: free(plain) }) },
          mismatches: mismatches.map(({ pointer, keyword, expected }) => ({
            ...{ pointer, keyword, expected: expected.replace(/, but there is .*$/s, '') },
          })),
        },
      }),
    };
  }

  /** What clients send in the place of a token is not one. */
  function authorization({ kind, authorization: has, token = '' }: JudgedCall): string | undefined {
    if (!has) return undefined;
    if (has !== 'bearer') return HIDDEN;
    if (kind !== 'data') return 'Bearer ‹unknown›';
    return `Bearer ${isMadeUp(token) ? 'undefined' : tokenName(token)}`;
  }

  function inQuery(name: string, value: string): string {
    if (value === '' || name === 'client_id') return '';
    return name === 'client_secret' ? named('secret', value) : named('value', `${name}=${value}`);
  }

  function field([name, value]: Field): Field {
    const shownName = FORM_FIELDS.includes(name) ? name : free(plainName(name));
    if (value === '') return [shownName, value];
    if (name === 'client_id') return [name, shownId(value)];
    if (name === 'client_secret') return [name, named('secret', value)];
    if (name !== 'grant_type' || isMasked(value)) return [shownName, HIDDEN];
    return [name, GRANTS.test(value) ? value : '‹other›'];
  }
}

const NOT_READ: NonNullable<Response['tokenResponse']> = { issued: false, unclear: true, mismatches: [] };

/** Those of the fields that have a value. */
const present = (fields: Record<string, string | undefined>): Field[] =>
  Object.entries(fields).flatMap(([name, value]): Field[] => (value === undefined ? [] : [[name, value]]));

/** Names for values that must not be shown, each its own. */
function createNames(): (what: string, value: string) => string {
  const names = new Map<string, Map<string, string>>();
  return (what, value) => {
    const own = names.get(what) ?? new Map<string, string>();
    const name = own.get(value) ?? `‹${what}-${own.size + 1}›`;
    names.set(what, own.set(value, name));
    return name;
  };
}
