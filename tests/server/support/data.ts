/** Whether an answer holds the data, in the shape of the answer to a valid token, or by its distinctive values in any form. */
import { gunzipSync } from 'node:zlib';
import { decodeOnce } from '../../support/decoded-text.ts';
import { defaultLimits, type HttpResponse } from '../probe/http.ts';
import { type Answered, type Exchange, isSuccess, type Probe } from './evidence.ts';
import { isVacant, type Json, leavesOf, listIn, type Parsed } from './json.ts';

/** `unclear`: it may be the data in another form, or a refusal in an unusual one. */
export type Given = boolean | 'unclear';

/**
 * An answer holds the data if it has the same bytes, distinctive values of the data in whatever form, or records of the
 * same kind: in a refusal, with each member of the records of the data, since an envelope may have records of its own.
 * What a refusal shares with an answer without data is the envelope. Everything else is a refusal, whatever it looks like.
 */
export function givesData(answer: Answered, served: Answered): Given {
  const { found, of, isOfOne, isPartial } = answer.response.values ?? { found: 0, of: 0 };
  if (found < TELLING_VALUES) return resembles(answer, served) || (isPartial ? 'unclear' : false);
  // A single record may name a contact or a host of the service, as a refusal may.
  if (!isOfOne || found * 2 > of) return true;
  return resembles(answer, served) || 'unclear';
}

function resembles(answer: Answered, served: Answered): Given {
  const [given, good] = [answer.response, served.response];
  // A refusal may be the same few characters.
  const isEnvelope =
    given.bodyBytes <= 4 || (good.json.wellFormed && (good.json.empty || good.json.vacant === true));
  if (given.digest === good.digest && (isSuccess(answer) || !isEnvelope)) return true;
  const { of } = given.values ?? { of: 0 };
  // Records that have no value of the data, or whose values were not counted, may be an example.
  if (!isSuccess(answer))
    return (
      hasRecordsOfAllFields(given.json, good.json) &&
      ((given.values !== undefined && of < TELLING_VALUES) || 'unclear')
    );
  if (wasNotParsed(given.json) || wasNotParsed(good.json)) return 'unclear';
  if (!good.json.wellFormed) return !given.json.wellFormed && given.mediaType === good.mediaType;
  if (given.json.wellFormed) {
    const like = likeness(given.json, good.json);
    return like === 'unclear' && of >= TELLING_VALUES && given.json.type === 'string' ? false : like;
  }
  // JSON with other text before or after it may still be the data, where no value of it is known.
  return of < TELLING_VALUES && /^\ufeff?\s*[[{]/.test(given.excerpt) ? 'unclear' : false;
}

/**
 * How a later success differs from the data, as a noun phrase that says what was expected: undefined where it does not.
 * The data may have changed meanwhile, and its shape with it, which the specification does not show: one record, a list,
 * none, or a member that is left out. No content is data too.
 */
export function unlikeData({ response }: Answered, { response: good }: Answered): string | undefined {
  if (response.bodyBytes === 0 || !good.json.wellFormed) return undefined;
  if (!response.json.wellFormed) return response.json.refused ? undefined : 'JSON, as in the first answer';
  const [given, first] = [response.json, good.json];
  if (speaksOnlyOfError(given) && !speaksOnlyOfError(first)) return 'the data, not an error';
  if (isListOfErrors(given) && !isListOfErrors(first)) return 'the data, not errors';
  if (
    given.empty ||
    (given.emptyList && !newlyFilled(given, first).some((field) => SAYS_ONE_ERROR.test(field)))
  )
    return undefined;
  const isOfOneType = given.type === first.type;
  if (!isOfOneType && !first.empty && isScalar(given) !== isScalar(first))
    return `JSON of the type ${first.type}, as in the first answer`;
  if (given.type === 'object' && !given.recordFields && saysError(given, first))
    return 'the data, not an error';
  // Records by their ids: the members are others each time.
  if (first.empty || first.keyed || given.keyed) return undefined;
  const namesIn = ({ fields = [], recordFields = [] }: Described) => [...fields, ...recordFields];
  const [names, others] = [namesIn(given), namesIn(first)];
  const isKnown = names.length === 0 || others.length === 0 || names.some((name) => others.includes(name));
  return isKnown || (isOfOneType && given.recordFields)
    ? undefined
    : `the members of the first answer: ${first.fields?.join(', ')}`;
}

/** Whether an object holds nothing but what errors are described with; `detail` may be the name of a list of records. */
export const speaksOnlyOfError = (json: Json): boolean =>
  json.wellFormed &&
  json.type === 'object' &&
  (json.filled ?? []).some((field) => SAYS_ERROR.test(field)) &&
  (json.fields ?? []).every((field) => SAYS_REFUSED.test(field)) &&
  (json.recordFields ?? []).every((field) => SAYS_REFUSED.test(field) || SAYS_WHERE.test(field));

/** Whether an object has only members that say what became of a request: it may say that there are no records. */
export const isOnlyMessage = (json: Json): boolean =>
  json.wellFormed &&
  json.type === 'object' &&
  !json.recordFields &&
  (json.fields ?? []).length > 0 &&
  (json.fields ?? []).every((field) => SAYS_REFUSED.test(field));

/** An object that names no error and has no records. */
const isMessage = (json: Json): boolean =>
  json.wellFormed &&
  json.type === 'object' &&
  !json.recordFields &&
  !json.vacant &&
  !(json.fields ?? []).some((field) => IS_ERROR.test(field));

/** Whether only one of both has a message in the place of records: no clause shows what an answer without records looks like. */
export const isWithoutRecords = (one: Json, first: Json): boolean =>
  isMessage(one) ? !isMessage(first) : one.wellFormed && one.recordFields !== undefined && isMessage(first);

/** One value may be the same by chance, such as a time. */
const TELLING_VALUES = 2;

type Described = Extract<Json, { wellFormed: true }>;

const wasNotParsed = (json: Json) => !json.wellFormed && json.refused === true;

/** Of two bodies with other bytes: by their records, and without any by the members that have a value in both. */
function likeness(given: Described, good: Described): Given {
  const telling = (fields: string[] = []) => fields.filter((field) => !SAYS_REFUSED.test(field));
  if (good.recordFields) {
    if (!given.recordFields) return false;
    const [names, others] = [telling(good.recordFields), telling(given.recordFields)];
    const isSameKind =
      names.length === 0
        ? others.length === 0 && given.type === good.type
        : others.filter((name) => names.includes(name)).length * 2 >= names.length;
    if (!isSameKind || isOnlyExample(given, good)) return false;
    return saysRefused(given, good) ? 'unclear' : true;
  }
  if (given.type !== good.type || given.empty) return given.type === good.type && good.empty && given.empty;
  if (given.type !== 'object') return given.type === 'array' ? !given.recordFields : 'unclear';
  if (saysRefused(given, good)) return false;
  const [names, filled] = [telling(good.fields), telling(good.filled)];
  const common = telling(given.filled).filter((field) => filled.includes(field)).length;
  if (filled.length > 0) return common * 2 > filled.length;
  const speaksSo = (given.fields ?? []).some((field) => SAYS_REFUSED.test(field));
  return !speaksSo && names.some((field) => given.fields?.includes(field)) ? 'unclear' : false;
}

/** Whether a member has a value that says why, where the data has none. */
const saysRefused = (given: Json, good: Json): boolean =>
  given.wellFormed && good.wellFormed && newlyFilled(given, good).some((field) => SAYS_WHY.test(field));

const newlyFilled = (given: Described, good: Described): string[] =>
  (given.filled ?? []).filter((field) => !good.filled?.includes(field));

/** Whether the records of a refusal have every member that those of the data have, of which there are several. */
function hasRecordsOfAllFields(given: Json, good: Json): boolean {
  if (!given.wellFormed || !good.wellFormed || !given.recordFields || isOnlyExample(given, good))
    return false;
  const names = (good.recordFields ?? []).filter((field) => !SAYS_REFUSED.test(field));
  return names.length > 1 && names.every((name) => given.recordFields?.includes(name));
}

/** A refusal may have an example of a record, as documents have. */
const isOnlyExample = (given: Described, good: Described): boolean =>
  given.blankRecord === true && !good.blankRecord;

const isScalar = ({ type }: Described): boolean => !['object', 'array', 'null'].includes(type);

/** A success that says in a member what went wrong. One record may have a reason too, among many members. */
function saysError(given: Described, first: Described): boolean {
  const filled = newlyFilled(given, first);
  const has = (says: RegExp) => filled.some((field) => says.test(field));
  if (given.type === first.type && !first.empty) {
    const common = (given.fields ?? []).filter((field) => first.fields?.includes(field));
    return has(common.some((field) => !SAYS_REFUSED.test(field)) ? IS_ERROR : SAYS_WHY);
  }
  const others = filled.filter((field) => !SAYS_REFUSED.test(field)).length;
  return has(IS_ERROR) || (has(SAYS_WHY) && others * 2 <= filled.length);
}

const isListOfErrors = ({ type, recordFields = [] }: Described): boolean =>
  type === 'array' &&
  recordFields.some((field) => SAYS_WHY.test(field)) &&
  recordFields.every((field) => SAYS_REFUSED.test(field));

/** What only errors have, and what a success may have too. */
const IS_ERROR = /^(errors?|error[_-].*|fault)$/i;
/** Where `errors` may be about a part of the data. */
const SAYS_ONE_ERROR = /^(error|error[_-].*|fault)$/i;
const SAYS_ERROR = /^(errors?|error[_-].*|fault|detail)$/i;
const SAYS_WHY = /^(errors?|error[_-].*|message|msg|detail|reason|fault)$/i;
const SAYS_REFUSED = /^(errors?|error[_-].*|message|msg|detail|title|status|code|reason|fault|success|ok)$/i;
/** What else the errors in a list have, as those of frameworks that validate requests. */
const SAYS_WHERE =
  /^(loc|location|field|path|pointer|source|domain|type|input|value|ctx|url|id|links|meta)$/i;

// The distinctive values of the records: a refusal may share anything else with the data.

type Received = Pick<HttpResponse, 'headers' | 'asides' | 'body'>;

/** What is kept of an answer: words as hashes, which take a fraction of the memory of a set. */
interface Noted {
  /** The first distinctive words, and all that were values of the data by then. */
  words: Float64Array;
  /** The values of its records. */
  values: Float64Array;
  /** Whether it is an envelope without data. */
  isVacant: boolean;
  /** Whether it has at most one record. */
  isOfOne: boolean;
  /** Whether it was to be searched whole, and is too large for that. */
  isPartial: boolean;
}

export function createDataValues() {
  const noted = new Map<string, Noted>();
  /** Values of every answer so far. */
  const known = new Set<number>();
  const notedOn = (...probes: (Probe | undefined)[]): Noted[] =>
    probes.flatMap((probe) => (probe && 'id' in probe && noted.get(probe.id)) || []);

  return {
    /**
     * Notes what the answer to the request with this id holds. An answer that must be a refusal is searched whole. Of another answer,
     * which may be the data, only both ends are read: a client that waits for its next request must not see its token age.
     */
    note(id: string, answer: Received, parsed: Parsed, isSearchedWhole: boolean): void {
      const words = new Set<number>();
      for (const hash of hashesOfAll(textsOf(answer, isSearchedWhole)))
        if (words.size < WORDS || known.has(hash)) words.add(hash);
      const vacant = parsed.wellFormed && isVacant(parsed.value);
      const values = Float64Array.from(parsed.wellFormed && !vacant ? valuesOf(parsed.value) : []);
      for (const value of values) known.add(value);
      const isOfOne = !parsed.wellFormed || recordsIn(parsed.value).length < 2;
      const isPartial = isSearchedWhole && answer.body.length > SEARCHED_BYTES;
      noted.set(id, { words: Float64Array.from(words), values, isVacant: vacant, isOfOne, isPartial });
    },

    /**
     * Fills in with how many values of the data an answer holds. `data`: the answers with the data; what those of the token endpoint
     * (`forms`) hold too is not distinctive, and what a health check holds only if that has not most of it.
     */
    counter({
      data: answers,
      forms = [],
      health = [],
    }: Record<'data', readonly Probe[]> & Partial<Record<'forms' | 'health', readonly Probe[]>>) {
      const ofData = notedOn(...answers);
      const data = new Set(ofData.flatMap(({ values }) => [...values]));
      for (const { words } of [...ofData.filter((one) => one.isVacant), ...notedOn(...forms)])
        for (const word of words) data.delete(word);
      const wordsOfHealth = new Set(notedOn(...health).flatMap(({ words }) => [...words]));
      const common = [...data].filter((value) => wordsOfHealth.has(value));
      if (common.length * 2 <= data.size) for (const value of common) data.delete(value);
      const isOfOne = ofData.every((one) => one.isOfOne);
      return (exchange: Exchange): Exchange => {
        const { response } = exchange;
        const [own] = notedOn(exchange);
        if (!response || !own || response.tokenResponse) return exchange;
        const found = own.words.filter((word) => data.has(word)).length;
        const { isPartial } = own;
        const values = { found, of: data.size, ...(isOfOne && { isOfOne }), ...(isPartial && { isPartial }) };
        return { ...exchange, response: { ...response, values } };
      };
    },
  };
}

const WORDS = 20_000;
/** Of one answer. Of more values, these are spread over all. */
const VALUES = 20_000;

/** An answer as it is, and as it reads once what hides a text is undone. */
function* textsOf(answer: Received, isSearchedWhole: boolean): Generator<string> {
  for (const text of writtenIn(answer, isSearchedWhole)) {
    // Some write 1,420,405,751.
    const decoded = [...new Set([text, decodeOnce(text), text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')])];
    yield* decoded;
    for (const inner of decoded.flatMap(encodedIn)) {
      yield inner;
      yield* encodedIn(inner);
    }
  }
}

function* writtenIn({ headers, asides = [], body }: Received, isSearchedWhole: boolean): Generator<string> {
  yield* headers.map(([, value]) => value);
  yield* asides;
  for (const piece of piecesOf(unzipped(body), isSearchedWhole)) yield* bodyTexts(piece);
}

/**
 * All of a body that is searched whole and is not larger than SEARCHED_BYTES, or else both ends, in pieces that bound the memory; each ends with
 * the beginning of the next, so that no word is cut.
 */
function* piecesOf(body: Buffer, isSearchedWhole: boolean): Generator<Buffer> {
  const most = isSearchedWhole ? SEARCHED_BYTES : 2 * PIECE_BYTES;
  const gap = Math.max(0, body.length - most);
  for (let at = 0; at < body.length; at += PIECE_BYTES + (at === most / 2 - PIECE_BYTES ? gap : 0))
    yield body.subarray(at, at + PIECE_BYTES + LONGEST_WORD);
}

const PIECE_BYTES = 128 * 1024;
/** A second of processor time, for a body that is made to take long. */
const SEARCHED_BYTES = 2 * 1024 * 1024;
const LONGEST_WORD = 1024;

/** In UTF-8, and in UTF-16 where every other byte is empty. */
function bodyTexts(body: Buffer): string[] {
  const isEmptyAt = (offset: number) =>
    body.length >= 8 && [0, 2, 4].every((at) => body[2 + at + offset] === 0);
  const wide = isEmptyAt(1)
    ? body
    : isEmptyAt(0)
      ? Buffer.from(body.subarray(0, body.length & ~1)).swap16()
      : undefined;
  return [body.toString('utf8'), ...(wide ? [wide.toString('utf16le')] : [])];
}

/** A file in the format of gzip that no content coding announces (RFC 1952 section 2.3.1). */
function unzipped(body: Buffer): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  try {
    return gunzipSync(body, { maxOutputLength: defaultLimits.bodyBytes });
  } catch {
    return body;
  }
}

/** The values of the records, without those that all of them share, and without a time where nothing else is left. */
function valuesOf(value: unknown): Iterable<number> {
  const list = recordsIn(value);
  const some =
    list.length > 2 * END_RECORDS ? [...list.slice(0, END_RECORDS), ...list.slice(-END_RECORDS)] : list;
  const each = some.map((record) => new Set(wordsIn(leavesOf(record))));
  const words = new Set(each.flatMap((own) => [...own]));
  if (each.length > 1)
    for (const word of each[0] ?? []) if (each.every((own) => own.has(word))) words.delete(word);
  if ([...words].every((word) => TIME.test(word))) return [];
  const step = Math.ceil(words.size / VALUES);
  return new Set([...words].filter((_, nth) => nth % step === 0).map(hashOf));
}

/** The records of a list of several; otherwise one, which may be a list of one. */
function recordsIn(value: unknown): unknown[] {
  const records = listIn(value) ?? value;
  return Array.isArray(records) && records.length > 1 ? records : [records];
}

/** The records at each end of a long list represent all. */
const END_RECORDS = 500;
/** The time of an answer, in any answer. */
const TIME = /^\d{4}-\d\d-\d\dt/;

/** Long runs of base64 and of hexadecimal digits, decoded. */
const encodedIn = (text: string): string[] =>
  ENCODED.flatMap(([encoding, runs]) =>
    (text.match(runs) ?? []).slice(0, 20).map((run) => Buffer.from(run, encoding).toString('utf8')),
  );
const ENCODED = [
  ['base64', /[\w+/-]{24,}={0,2}/g],
  ['hex', /(?:[\da-f]{2}){16,}/gi],
] as const;

// The words of a text by which data is recognised.

/** Numbers and words of letters and digits, as they are in any text. */
const WORD = /[\p{L}\p{N}+-][\p{L}\p{N}_.:+-]*/gu;
const ENDS = '.:_+-';
/** Several words that have become one, such as in an ETag. */
const JOINED = /^(?=.{9})[^._:]*[._:]/;

/** The distinctive words, as they are compared. */
function* wordsIn(texts: Iterable<string>): Generator<string> {
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      let end = match.length;
      while (ENDS.includes(match[end - 1] ?? ' ')) end--;
      const word = normal(match.slice(0, end));
      if (isDistinctive(word)) yield word;
    }
}

/** Hashes of the words, and of the parts of those that several may have become: they keep nothing that a text said. */
function* hashesOfAll(texts: Iterable<string>): Generator<number> {
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      if (!/\d/.test(match)) continue; // neither it nor a part of it is distinctive
      const parts = JOINED.test(match) ? match.split(/[._:]/) : [];
      for (const word of wordsIn([match, ...parts])) yield hashOf(word);
    }
}

/** A number in the form that JavaScript writes it in, so that 1.50 is found as 1.5. */
const normal = (word: string): string =>
  /^[+-]?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(word) && word.length < 20
    ? String(Number(word))
    : word.toLowerCase();

/** Neither a word of a language, nor a status, a year or another small number. */
const isDistinctive = (word: string): boolean =>
  /\d/.test(word) && word.replace(/[^\p{L}\p{N}]/gu, '').length >= 4 && !/^-?\d{1,4}$/.test(word);

/** Two hashes like FNV-1a, of 52 bits together: fewer would let words of a long answer be those of the data by chance. */
function hashOf(word: string): number {
  let [low, high] = [0x811c9dc5, 0x9e3779b9];
  for (let at = 0; at < word.length; at++) {
    const code = word.charCodeAt(at);
    low = Math.imul(low ^ code, 0x01000193);
    high = Math.imul(high ^ code ^ (high >>> 15), 0x85ebca6b);
  }
  return (high >>> 12) * 2 ** 32 + (low >>> 0);
}
