/**
 * Writes what passes to a HAR 1.2 file, an exchange at a time. No secret is in it: names are in the place of tokens and
 * secrets, and numbers in that of values. What the judges compare stays comparable, and what was wrong stays wrong.
 */
import { createHash } from 'node:crypto';
import { closeSync, openSync, read, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import type { Entry } from 'har-format';
import { HIDDEN, HIDDEN_PATH } from '../../mocks/journal.ts';
import { redirectOf } from '../../tests/client/recorded.ts';
import { hasTwice } from '../../tests/server/probe/token-answer.ts';
import { isJsonMediaType, mediaTypeOf, parseJson } from '../../tests/server/support/json.ts';
import type { Secrets } from '../../tests/support/secrets.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { version } from '../../tests/support/version.ts';
import { bearerOf, formOf, isMasked } from '../../tests/traffic/credentials.ts';
import { fieldNamed, type RecordedAnswer } from '../../tests/traffic/exchange.ts';
import { isMadeUp } from '../../tests/traffic/tokens.ts';
import type { JudgedRecording } from '../judge/judge-recording.ts';
import type { Judged } from '../judge/read-recording.ts';
import type { Call } from './call.ts';

/** The secrets and tokens that passed. */
interface KnownSecrets extends Pick<Secrets, 'redact'> {
  /** False once more passed than are searched for: what is free text then may hold one. */
  isComplete(): boolean;
}

export type HarFile = ReturnType<typeof createHarFile>;

/**
 * Until the end, the entries are in a file next to it that has no name: nothing is left of that, however this process
 * ends. `baseUrl` is that of the service. Throws UsageError where the file cannot be written.
 */
export function createHarFile(file: string, baseUrl: string) {
  const draft = `${file}.${process.pid}.tmp`;
  const entryOf = createEntryWriter(baseUrl);
  /** Of the entries in the draft, in bytes. */
  const lengths: number[] = [];
  let problem: string | undefined;
  const descriptor = openDraft(file, draft);
  let isOpen = true;
  removeDraft(); // A file that is open stays readable.

  function attempt(write: () => void): void {
    if (problem !== undefined) return;
    try {
      write();
    } catch (error) {
      problem = `${file} could not be written (${(error as NodeJS.ErrnoException).code}).`;
    }
  }

  function removeDraft(): void {
    rmSync(draft, { force: true });
  }

  function discard(): void {
    process.off('exit', discard);
    if (isOpen) closeSync(descriptor);
    isOpen = false;
    removeDraft();
  }
  process.once('exit', discard); // a second Ctrl-C

  return {
    /** `secrets` are those that are known by now. */
    add(call: Call, judged: Judged, secrets: KnownSecrets): void {
      attempt(() => {
        const text = Buffer.from(JSON.stringify(redactedEntry(entryOf(call, judged), secrets, baseUrl)));
        writeFileSync(descriptor, text);
        lengths.push(text.length);
      });
    },
    /**
     * Puts the file in its place, without the secrets that are known by the end, and with what was found where they must
     * not be: the file does not show it otherwise. Returns what went wrong, as a sentence. To be called once.
     */
    async finish(
      secrets: KnownSecrets,
      { misplaced }: Pick<JudgedRecording, 'misplaced'>,
    ): Promise<string | undefined> {
      let whole: number | undefined;
      attempt(() => {
        whole = openSync(draft, 'wx', 0o600);
      });
      const write = (text: string) => attempt(() => writeFileSync(whole as number, text));
      const creator = JSON.stringify({ name: 'mrs proxy', version });
      write(`{"log":{"version":"1.2","creator":${creator},"entries":[`);
      let position = 0;
      for (const [at, length] of lengths.entries()) {
        if (problem !== undefined) break;
        const { buffer } = await promisify(read)(descriptor, Buffer.alloc(length), 0, length, position);
        position += length;
        const found = misplaced.get(at + 1);
        const written = redactedEntry(JSON.parse(buffer.toString('utf8')), secrets, baseUrl);
        const text = JSON.stringify({ ...written, ...(found && { _misplaced: found }) });
        write(`${at === 0 ? '\n' : ',\n'}${text}`);
      }
      write('\n]}}\n');
      if (whole !== undefined) closeSync(whole);
      attempt(() => renameSync(draft, file));
      discard();
      return problem;
    },
    /** Removes what has been written. */
    discard,
  };
}

function openDraft(file: string, draft: string): number {
  try {
    // A device or a pipe must not be replaced by a file, and a directory cannot be.
    const isNamed = file !== '' && !file.endsWith('/');
    if (isNamed && (statSync(file, { throwIfNoEntry: false })?.isFile() ?? true))
      return openSync(draft, 'wx+', 0o600);
  } catch (error) {
    throw new UsageError(
      `--har ${file} cannot be written (${(error as NodeJS.ErrnoException).code}). Name a file in a directory that you can write to.`,
    );
  }
  throw new UsageError(
    `--har is "${file}", which is not the name of a file. Name a new file, or one to replace.`,
  );
}

/** More values than these get one common name. */
const MOST_NAMED = 20_000;
/** What is not one of these may be anything (RFC 6749, 4). */
const GRANTS = /^(client_credentials|password|authorization_code|refresh_token|implicit)$/;
/** In the place of another one, which is not taken for the right one. */
const OTHER_GRANT = '‹other›';
/** In the place of a cookie; the judges take no text that short for a secret. */
const COOKIE = '‹…›';

/** Returns what makes the entries of one file, of a call as it is shown, and with what of it is judged. */
function createEntryWriter(baseUrl: string) {
  const tokenName = createNames('unknown');
  const secretName = createNames('secret');
  const valueName = createNames('value');

  return (call: Call, judged: Judged): Entry => {
    const { exchange, kind, recorded } = judged;
    const { answer } = exchange;
    const { seq, at: startedDateTime, durationMs: time, method, path, status, reason, ended, token } = call;
    const { accept, contentType, fields } = call.request;
    const { bytes, contentType: type } = call.response;
    // A bearer token has no spaces, which the id of a client may have.
    const own = token && `‹${token.name.replace(/\s/g, (space) => encodeURIComponent(space))}›`;
    const label = own ?? (recorded.token === undefined ? HIDDEN : tokenName(recorded.token));
    const text = answer && publicBody(judged, label);
    const isReplaced = kind !== 'token' && text !== answer?.readBody()?.toString('utf8');
    const query = exchange.query.map(([name, value], at) => ({
      name: call.query[at] ?? '',
      value:
        value === '' || name === 'client_id'
          ? ''
          : name === 'client_secret'
            ? secretName(value)
            : valueName(`${name}=${value}`),
    }));
    const form = formOf(exchange);
    const ofMessage = { httpVersion: 'HTTP/1.1', cookies: [], headersSize: -1 };
    return {
      _seq: seq,
      startedDateTime,
      time,
      request: {
        ...{ ...ofMessage, method, bodySize: -1 },
        // What follows this sign would not be read as a part of the path.
        url: baseUrl + path.replace(/^(?!\/)/, '/').replaceAll('#', '%23') + searchOf(query),
        headers: headersOf({
          ...{ accept, 'content-type': contentType, authorization: authorization() },
          cookie: fieldNamed(exchange.headers, 'cookie') === undefined ? undefined : COOKIE,
        }),
        queryString: query,
        ...(fields && {
          postData: {
            mimeType: contentType ?? '',
            params: fields.map((name, at) => ({ name, value: fieldValue(name, form?.[at]?.[1] ?? '') })),
          },
        }),
      },
      response: {
        ...{ ...ofMessage, status: ended === 'reset' ? 0 : status, statusText: '' },
        ...{ redirectURL: '', bodySize: bytes },
        headers: headersOf({
          'content-type': answerType(),
          'retry-after': retryAfterOf(answer),
          location: redirect(),
        }),
        content: {
          size: bytes,
          mimeType: type ?? '',
          ...(text !== undefined && { text, ...(isReplaced && { _replaced: true }) }),
        },
      },
      cache: {},
      timings: { send: 0, wait: time, receive: 0 },
      comment: [
        `exchange ${seq}: ${reason}`,
        ...(token ? [`token ${token.name}`] : []),
        ...(ended ? [ended] : []),
      ].join(', '),
      ...(exchange.proxyAnswer !== undefined && { _proxyAnswer: exchange.proxyAnswer }),
    };

    /** A type of JSON that is too long to be shown, as one that is not. */
    function answerType(): string | undefined {
      const real = mediaTypeOf(answer && fieldNamed(answer.headers, 'content-type'));
      return type?.startsWith('‹') && real !== 'application/json' && isJsonMediaType(real)
        ? 'application/x-hidden+json'
        : type;
    }

    /** Where a service sends a client to one of its operations: it is not at the wrong path of its own accord then. */
    function redirect(): string | undefined {
      const to = redirectOf(exchange);
      return to !== undefined && /^(\/[\w.-]{1,20}){0,4}\/(token|ods_data)\/*$/i.test(to) ? to : undefined;
    }

    /** What clients send in the place of a token is not one. */
    function authorization(): string | undefined {
      const { authorization: has } = call.request;
      const sent = kind === 'data' ? bearerOf(exchange) : undefined;
      if (has && sent && !own) return `Bearer ${isMadeUp(sent) ? 'undefined' : tokenName(sent)}`;
      return has === 'bearer' ? `Bearer ${(kind === 'data' && own) || '‹unknown›'}` : has && HIDDEN;
    }

    function fieldValue(name: string, value: string): string {
      if (value === '') return '';
      if (name === 'client_id') return call.client ?? HIDDEN;
      if (name === 'client_secret') return secretName(value);
      if (name !== 'grant_type') return HIDDEN;
      return GRANTS.test(value) ? value : isMasked(value) ? HIDDEN : OTHER_GRANT;
    }
  };
}

const headersOf = (named: Record<string, string | undefined>): Entry['request']['headers'] =>
  Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [{ name, value }]));

/** The header, where it is seconds or a date (RFC 9110 section 10.2.3); anything else may be a secret. */
function retryAfterOf(answer: RecordedAnswer | undefined): string | undefined {
  const value = answer && fieldNamed(answer.headers, 'retry-after');
  const isTime = /^(\d{1,9}|[A-Z][a-z]{2,8},? [\w :-]{10,24} GMT)$/.test(value ?? '');
  return value === undefined || isTime ? value : '‹…›';
}

/** A query, with its question mark. */
const searchOf = (query: readonly { name: string; value: string }[]): string =>
  query
    .map(({ name, value }, at) => {
      const text = encodeURIComponent(name) + (value === '' ? '' : `=${encodeURIComponent(value)}`);
      return (at === 0 ? '?' : '&') + text;
    })
    .join('');

/** Names for values that must not be shown, each its own. */
function createNames(what: string): (value: string) => string {
  const names = new Map<string, string>();
  return (value) => {
    const key = createHash('sha256').update(value).digest('base64url').slice(0, 22);
    const known = names.get(key);
    if (known !== undefined || names.size >= MOST_NAMED) return known ?? HIDDEN;
    const name = `‹${what}-${names.size + 1}›`;
    names.set(key, name);
    return name;
  };
}

/** Below the base URL: they are not secrets, whatever one is like. */
const OPERATIONS: readonly string[] = ['/token/', '/ods_data/'];
/** What a client of this service sends in a form. */
const FIELDS: readonly string[] = ['grant_type', 'client_id', 'client_secret', 'scope'];

/**
 * The one exit to the disk: an entry without the secrets that are known by now. Where not all are known, it is without
 * what may be one: other paths, names and bodies.
 */
function redactedEntry(entry: Entry, { redact, isComplete }: KnownSecrets, baseUrl: string): Entry {
  const { request, response, comment } = entry;
  const isWhole = isComplete();
  const free = (text: string) => (isWhole ? redact(text) : HIDDEN);
  const [path = ''] = request.url.slice(baseUrl.length).split('?');
  const queryString = request.queryString.map(({ name, value }) => ({ name: free(name), value }));
  const withoutSecrets = (headers: Entry['request']['headers']) =>
    headers.map(({ name, value }) => ({ name, value: redact(value) }));
  const { text: before, ...content } = response.content;
  const after = before === undefined || !isWhole ? undefined : redact(before);
  const text = after !== undefined && isJson(after) === isJson(before ?? '') ? after : undefined;
  return {
    ...entry,
    request: {
      ...request,
      method: redact(request.method),
      url:
        baseUrl +
        (OPERATIONS.includes(path) ? path : isWhole ? redact(path) : HIDDEN_PATH) +
        searchOf(queryString),
      queryString,
      headers: withoutSecrets(request.headers),
      ...(request.postData && {
        postData: {
          mimeType: redact(request.postData.mimeType),
          params: request.postData.params?.map(({ name, value = '' }) => ({
            name: FIELDS.includes(name) ? name : free(name),
            value: redact(value),
          })),
        },
      }),
    } as Entry['request'],
    response: {
      ...response,
      headers: withoutSecrets(response.headers),
      content: {
        ...content,
        mimeType: redact(content.mimeType),
        ...(text !== undefined && { size: Buffer.byteLength(text), text }),
        ...(text !== before && { _replaced: true }),
      },
    },
    ...(comment !== undefined && { comment: redact(comment) }),
  };
}

/** In bytes. A client of this service reads less than that. */
const MOST_BYTES = 1024 * 1024;
const TEXT = /^(application\/([\w.+-]+\+)?(json|xml)|text\/)/;
const MARK = '\ufeff';

/** A body as the file may have it, judged as the real one; undefined where it would not be, or is not judged at all. */
function publicBody(
  { kind, exchange: { answer }, recorded: { token, response } }: Judged,
  label: string,
): string | undefined {
  const body = kind === 'token' || kind === 'data' ? answer?.readBody() : undefined;
  if (!answer || !body || body.length > MOST_BYTES) return undefined;
  if (body.length > 0 && !TEXT.test(fieldNamed(answer.headers, 'content-type') ?? '')) return undefined;
  const text = body.toString('utf8');
  if (!Buffer.from(text).equals(body)) return undefined;
  if (kind === 'data') return text.replace(CREDENTIAL, hiddenMember);
  const shown = publicTokenAnswer(text, token, label);
  return response && hasTwice(response) ? shown?.replace(FIRST_MEMBER, '$1$2,$2') : shown;
}

/** The first member of an object, where its value has no parts: parsing lost that one was there twice. */
const FIRST_MEMBER = /^(\ufeff?\{)("[^"]*":(?:"[^"]*"|[\w.+-]+))/;

/** Members of JSON whose values are credentials by their names. */
const CREDENTIAL = /("[^"\\]*(?:token|secret|passw)[^"\\]*"\s*:\s*)("(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*)/gi;
const hiddenMember = (_: string, name: string, value: string) =>
  name + (value.startsWith('"') ? '"‹not kept›"' : '0');

/** Whatever it holds may be a credential. Its form stays, with the name of its token in the place of that. */
function publicTokenAnswer(text: string, token: string | undefined, label: string): string | undefined {
  const mark = text.startsWith(MARK) ? MARK : '';
  const content = text.slice(mark.length);
  const parsed = parseJson(Buffer.from(content));
  if (!parsed.wellFormed)
    return parsed.refused ? undefined : mark + (content.trim() === token ? label : masked(content));

  const shownName = (name: string) => (/^[\w.-]{1,40}$/.test(name) ? name : masked(name));
  const shown = (value: unknown, name: string, isNamed: boolean): unknown => {
    if (value === token) return label;
    if (typeof value === 'string') return isNamed || !isPlain(name, value) ? masked(value) : value;
    if (typeof value === 'number') return isNamed || Math.abs(value) > MOST_SECONDS ? 0 : value;
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return value.map((item) => shown(item, name, isNamed));
    return Object.fromEntries(
      Object.entries(value).map(([own, member]) => [
        shownName(own),
        shown(member, own, own !== 'token_type' && (isNamed || /token|secret|passw/i.test(own))),
      ]),
    );
  };
  return mark + JSON.stringify(shown(parsed.value, '', false));
}

/** A year: a larger number is not a lifetime. */
const MOST_SECONDS = 366 * 86_400;

/** Words of a standard member that are shorter than a credential (RFC 6749, 5.1 and 5.2; RFC 9457). */
const isPlain = (name: string, value: string): boolean =>
  /^(token_type|scope|error|error_description|message|detail|title|type)$/.test(name) &&
  /^([a-z_]{1,19}[.,:;!?]*( |$))*$/i.test(value);

/** Only the length of its words, and the signs that make it JSON or markup. */
const masked = (text: string): string =>
  text.replace(/[^\s{}[\]":,<>/\\]/g, (sign) => (/\p{L}/u.test(sign) ? 'x' : /\d/.test(sign) ? '0' : '-'));

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
