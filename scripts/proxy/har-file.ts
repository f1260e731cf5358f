/**
 * Writes what has passed to a HAR 1.2 file: with what the judges made of bodies in their place, and with names in the place of
 * tokens, secrets and values, so that they stay comparable.
 */
import { closeSync, openSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import type { Entry } from 'har-format';
import { cut, mediaOf, readablePath } from '../../mocks/exchange.ts';
import { HIDDEN, HIDDEN_PATH } from '../../mocks/journal.ts';
import { redirectOf } from '../../tests/client/recorded.ts';
import { ALTERED, createAlteredTokens } from '../../tests/server/compared-calls.ts';
import { redactExchange } from '../../tests/server/probe/api.ts';
import { DESCRIPTION_SCHEMA, type Description, type Recorded } from '../../tests/server/recorded.ts';
import type { Response } from '../../tests/server/support/evidence.ts';
import { type Json, mediaTypeOf } from '../../tests/server/support/json.ts';
import { plainName } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import {
  authorizationOf,
  bearerOf,
  credentialsIn,
  formOf,
  isMasked,
} from '../../tests/traffic/credentials.ts';
import { acceptIn, type Field, FORM_FIELDS, fieldNamed, isServed } from '../../tests/traffic/exchange.ts';
import { isMadeUp } from '../../tests/traffic/tokens.ts';
import type { JudgedRecording } from '../judge/judge-recording.ts';
import type { Judged, Recording } from '../judge/read-recording.ts';

/** What passed, with what was found in it. */
interface Seen {
  recording: Recording;
  judged: Pick<JudgedRecording, 'secrets' | 'hasAllSecrets' | 'misplaced' | 'exchanges' | 'values'>;
}

/** Throws UsageError for a device, a pipe or a directory, which must not be replaced by a file, and where none can be made. */
export function checkHarName(file: string): void {
  const draft = draftOf(file);
  try {
    const isNamed = file !== '' && !file.endsWith('/');
    if (isNamed && (statSync(file, { throwIfNoEntry: false })?.isFile() ?? true)) {
      closeSync(openSync(draft, 'wx', 0o600));
      rmSync(draft);
      return;
    }
  } catch (error) {
    throw new UsageError(
      `--har ${file} cannot be written (${(error as NodeJS.ErrnoException).code}). Name a file in a directory that you can write to.`,
    );
  }
  throw new UsageError(
    `--har is "${file}", which is not the name of a file. Name a new file, or one to replace.`,
  );
}

const draftOf = (file: string) => `${file}.${process.pid}.tmp`;

/** Replaces the file as a whole, or leaves it as it was. Returns what went wrong, as a sentence. */
export function writeHar(file: string, seen: Seen): string | undefined {
  const draft = draftOf(file);
  const entryOf = createEntryWriter(seen);
  try {
    const descriptor = openSync(draft, 'wx', 0o600);
    try {
      const creator = JSON.stringify({ name: 'mrs proxy', version });
      writeFileSync(descriptor, `{"log":{"version":"1.2","creator":${creator},"entries":[`);
      for (const [at, one] of seen.recording.exchanges.entries())
        writeFileSync(descriptor, `${at === 0 ? '\n' : ',\n'}${JSON.stringify(entryOf(one))}`);
      writeFileSync(descriptor, '\n]}}\n');
    } finally {
      closeSync(descriptor);
    }
    renameSync(draft, file);
    return undefined;
  } catch (error) {
    rmSync(draft, { force: true });
    return `${file} could not be written (${(error as NodeJS.ErrnoException).code}).`;
  }
}

/** Below the base URL: they are not secrets, whatever one is like. */
const OPERATIONS: readonly string[] = ['/token/', '/ods_data/'];
/** What is not one of these may be anything (RFC 6749, 4). */
const GRANTS = /^(client_credentials|password|authorization_code|refresh_token|implicit)$/;
/** In the place of another one, which is not taken for the right one. */
const OTHER_GRANT = '‹other›';
/** What each description holds, whatever the secrets are. */
const OWN_WORDS = JSON.stringify(DESCRIPTION_SCHEMA);
/** In the place of a cookie; the judges take no text that short for a secret. */
const COOKIE = '‹…›';

function createEntryWriter({ recording, judged }: Seen): (one: Judged) => Entry {
  const { secrets, hasAllSecrets, misplaced } = judged;
  const { baseUrl, exchanges } = recording;
  const answers = exchanges.filter(({ kind, recorded }) => kind === 'token' && recorded.token !== undefined);
  const tokenOf = ({ recorded }: Judged) => recorded.token ?? '';
  const issued = new Set(answers.map(tokenOf));
  const served = answers.filter(({ exchange: { answer } }) => answer && isServed(answer));
  const isAltered = createAlteredTokens(served.map(tokenOf));
  const tokenName = createNames('token');
  const alteredName = createNames(ALTERED);
  const unknownName = createNames('unknown');
  const secretName = createNames('secret');
  const valueName = createNames('value');
  const bodyName = createNames('body');
  const descriptions = new Map<Recorded, Description['response']>();
  const nameOf = (token: string) =>
    issued.has(token) ? tokenName(token) : (isAltered(token) ? alteredName : unknownName)(token);
  /** Free text; where not all secrets are known, it may be one. */
  const free = (text: string, hidden = HIDDEN): string =>
    hasAllSecrets ? secrets.redact(cut(text) ?? '') : hidden;
  const mediaIn = (fields: readonly Field[], name = 'content-type') => {
    const value = name === 'accept' ? acceptIn(fields) : fieldNamed(fields, name);
    return value === undefined ? undefined : secrets.redact(mediaOf(value) ?? '');
  };

  return (one) => {
    const { kind, recorded } = one;
    const { entry, method, path, headers, query, answer, startMs, endMs, proxyAnswer } = one.exchange;
    const isKnown = OPERATIONS.includes(path);
    const shownPath = isKnown ? path : readablePath(free(path, HIDDEN_PATH)).replace(/^(?!\/)/, '/');
    const queryString = query.map(([name, value]) => ({
      name: free(plainName(name)),
      value:
        value === '' || name === 'client_id'
          ? ''
          : name === 'client_secret'
            ? secretName(value)
            : valueName(`${name}=${value}`),
    }));
    const search =
      queryString.length === 0
        ? ''
        : `?${new URLSearchParams(queryString.map(({ name, value }): [string, string] => [name, value]))}`;
    const contentType = mediaIn(headers);
    const form = formOf(one.exchange);
    const bytes = recorded.response?.bodyBytes ?? 0;
    const time = Math.round((endMs - startMs) * 1000) / 1000;
    const ofMessage = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
    const leaks = misplaced.get(entry);
    return {
      _seq: entry,
      startedDateTime: new Date(startMs).toISOString(),
      time,
      request: {
        ...{ ...ofMessage, method: secrets.redact(method), bodySize: -1 },
        // What follows this sign would not be read as a part of the path.
        url: baseUrl + shownPath.replaceAll('#', '%23') + search,
        headers: namedHeaders({
          accept: mediaIn(headers, 'accept'),
          'content-type': contentType,
          authorization: authorization(one),
          cookie: fieldNamed(headers, 'cookie') === undefined ? undefined : COOKIE,
        }),
        queryString,
        ...(form && {
          postData: { mimeType: contentType ?? '', params: form.map(([name, value]) => field(name, value)) },
        }),
      },
      response: {
        ...{ ...ofMessage, status: answer?.status ?? 0, statusText: '', redirectURL: '', bodySize: bytes },
        headers: namedHeaders({
          'content-type': answer && typeOf(answer.headers),
          'retry-after': answer && retryAfterIn(answer.headers),
          location: redirect(one),
        }),
        content: { size: bytes, mimeType: (answer && typeOf(answer.headers)) ?? '' },
      },
      cache: {},
      timings: { send: 0, wait: time, receive: 0 },
      ...(proxyAnswer !== undefined && { _proxyAnswer: proxyAnswer }),
      ...(leaks && { _misplaced: leaks }),
      _mrs: { ...(kind === 'token' && credentialsOutside(one, form)), ...descriptionOf(one) },
    };
  };

  /** The id and the secret of a client that were not in the form. */
  function credentialsOutside({ exchange }: Judged, form: readonly Field[] = []): Description {
    const { clientId, clientSecret } = credentialsIn(exchange);
    return {
      ...(clientId && !fieldNamed(form, 'client_id') && { client: shownId(clientId) }),
      ...(clientSecret && !fieldNamed(form, 'client_secret') && { secret: secretName(clientSecret) }),
    };
  }

  function descriptionOf({ kind, exchange, recorded }: Judged): Description {
    const id = `x${exchange.entry}`;
    const seen = judged.exchanges.get(id);
    const values = judged.values.get(id);
    if (!recorded.hasBody || !seen || kind === 'other') return {};
    if (!descriptions.has(recorded)) {
      const { response } = redactExchange(seen, secrets);
      const own =
        response && (kind === 'token' ? ofTokenAnswer(response) : hasAllSecrets && ofAnswer(response));
      const isSafe = own && secrets.leaks(JSON.stringify(own), OWN_WORDS).length === 0;
      descriptions.set(recorded, isSafe ? own : undefined);
    }
    const response = descriptions.get(recorded);
    return {
      ...(kind === 'token' && recorded.token !== undefined && { token: nameOf(recorded.token) }),
      ...(response && { response: { ...response, ...(values && { values }) } }),
    };
  }

  /** Digests only show what is equal: numbers do so too, and no short value can be guessed from them. */
  function ofAnswer({ bodyBytes, digest, excerpt, json }: Response): NonNullable<Description['response']> {
    return { bodyBytes, digest: bodyName(digest), excerpt: /^[[{]$/.test(excerpt) ? excerpt : '', json };
  }

  /** Without the names of members: any may be a token. */
  function ofTokenAnswer(response: Response): Description['response'] {
    const { json: described, ...rest } = ofAnswer(response);
    const {
      takenFrom,
      mismatches = [],
      ...more
    } = response.tokenResponse ?? { issued: false, unclear: true };
    const {
      fields: _,
      filled: __,
      recordFields: ___,
      ...json
    } = described as Extract<Json, { wellFormed: true }>;
    const plain = takenFrom?.split('/').map(plainName).join('/');
    return {
      ...{ ...rest, json: described.wellFormed ? json : described },
      tokenResponse: {
        ...{ ...more, ...(plain !== undefined && { takenFrom: free(plain) }) },
        mismatches: mismatches.map(({ pointer, keyword, expected }) => ({
          ...{ pointer, keyword, expected: expected.replace(/, but there is .*$/s, '') },
        })),
      },
    };
  }

  function shownId(id: string): string {
    return secrets.redact(id.slice(0, 100));
  }

  /** What clients send in the place of a token is not one. */
  function authorization({ kind, exchange }: Judged): string | undefined {
    const has = authorizationOf(exchange);
    const sent = bearerOf(exchange);
    if (!has) return undefined;
    if (has !== 'bearer' || !sent) return HIDDEN;
    if (kind !== 'data') return 'Bearer ‹unknown›';
    return `Bearer ${isMadeUp(sent) ? 'undefined' : nameOf(sent)}`;
  }

  function field(name: string, value: string): { name: string; value: string } {
    const shown = FORM_FIELDS.includes(name) ? name : free(plainName(name));
    if (value === '') return { name: shown, value };
    if (name === 'client_id') return { name, value: shownId(value) };
    if (name === 'client_secret') return { name, value: secretName(value) };
    if (name !== 'grant_type') return { name: shown, value: HIDDEN };
    return { name, value: GRANTS.test(value) ? value : isMasked(value) ? HIDDEN : OTHER_GRANT };
  }

  function typeOf(headers: readonly Field[]): string | undefined {
    const type = mediaTypeOf(fieldNamed(headers, 'content-type'));
    return type === undefined ? undefined : secrets.redact(type);
  }
}

const namedHeaders = (named: Record<string, string | undefined>): Entry['request']['headers'] =>
  Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));

/** Where a service sends a client to one of its operations: it is not at the wrong path of its own accord then. */
function redirect({ exchange }: Judged): string | undefined {
  const to = redirectOf(exchange);
  return to !== undefined && /^(\/[\w.-]{1,20}){0,4}\/(token|ods_data)\/*$/i.test(to) ? to : undefined;
}

/** The header, where it is seconds or a date (RFC 9110 section 10.2.3); anything else may be a secret. */
function retryAfterIn(headers: readonly Field[]): string | undefined {
  const value = fieldNamed(headers, 'retry-after');
  const isTime = /^(\d{1,9}|[A-Z][a-z]{2,8},? [\w :-]{10,24} GMT)$/.test(value ?? '');
  return value === undefined || isTime ? value : '‹…›';
}

/** Names for values that must not be shown, each its own. */
function createNames(what: string): (value: string) => string {
  const names = new Map<string, string>();
  return (value) => {
    const name = names.get(value) ?? `‹${what}-${names.size + 1}›`;
    names.set(value, name);
    return name;
  };
}
