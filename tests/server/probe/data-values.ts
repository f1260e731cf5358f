/**
 * Recognises the data in whatever form an answer holds it: JSON of another shape, CSV, XML, HTML, a text, a header. It
 * looks for the distinctive values of the records, since a refusal may share anything else with the data.
 */
import { gunzipSync } from 'node:zlib';
import { decodeOnce } from '../../support/decoded-text.ts';
import { dataAnswers } from '../support/condition.ts';
import { mapExchanges, type Observed, type Probe } from '../support/evidence.ts';
import { ABOUT_ANSWERS, isVacant, type Parsed } from '../support/json.ts';
import type { HttpResponse } from './http.ts';

interface DataValues {
  /** Notes what the answer to the request with this id holds. */
  note(id: string, answer: HttpResponse, parsed: Parsed): void;
  /** The same, with `values` of every answer of the data endpoint filled in; to be called at the end of a run. */
  count(observed: Observed): Observed;
}

/** What is kept of an answer: words as hashes, which take a tenth of the memory of a set. */
interface Noted {
  /** The first distinctive words, for values that become known later. */
  words: Uint32Array;
  /** Those of all words that were values of the data by then. */
  found: Uint32Array;
  /** The values of its records. */
  values: Uint32Array;
  /** Whether it is an envelope without data. */
  isVacant: boolean;
}

export function createDataValues(): DataValues {
  const noted = new Map<string, Noted>();
  /** Values of every answer so far. */
  const known = new Set<number>();
  const notedOn = (probe: Probe): Noted | undefined => ('id' in probe ? noted.get(probe.id) : undefined);

  return {
    note(id, answer, parsed) {
      const words = new Set<number>();
      const found = new Set<number>();
      for (const hash of hashesOfAll(textsOf(answer))) {
        if (words.size < WORDS) words.add(hash);
        if (known.has(hash)) found.add(hash);
      }
      const vacant = parsed.wellFormed && isVacant(parsed.value);
      const values = parsed.wellFormed && !vacant ? valuesOf(parsed.value) : new Set<number>();
      for (const value of values) known.add(value);
      noted.set(id, { words: packed(words), found: packed(found), values: packed(values), isVacant: vacant });
    },

    count(observed) {
      const ofData = dataAnswers(observed).flatMap((answer) => notedOn(answer) ?? []);
      const data = new Set(ofData.flatMap(({ values }) => [...values]));
      for (const { words } of ofData.filter((one) => one.isVacant))
        for (const word of words) data.delete(word);
      leaveOutCommon(data, observed);
      return mapExchanges(observed, (exchange) => {
        const { response } = exchange;
        const own = notedOn(exchange);
        if (!response || !own || response.tokenResponse) return exchange;
        const held = new Set([...own.words, ...own.found]);
        const found = [...data].filter((value) => held.has(value)).length;
        return { ...exchange, response: { ...response, values: { found, of: data.size } } };
      });
    },
  };

  /** What other answers have too is not distinctive; a health check that has most of it gives the data away itself. */
  function leaveOutCommon(data: Set<number>, { token, health }: Observed): void {
    for (const probe of Object.values(token))
      for (const word of notedOn(probe)?.words ?? []) data.delete(word);
    const ofHealth = health.flatMap((one) => Object.values(one)).flatMap((probe) => notedOn(probe) ?? []);
    const wordsOfHealth = new Set(ofHealth.flatMap(({ words }) => [...words]));
    const common = [...data].filter((value) => wordsOfHealth.has(value));
    if (common.length * 2 <= data.size) for (const value of common) data.delete(value);
  }
}

const packed = (hashes: ReadonlySet<number>): Uint32Array => Uint32Array.from(hashes);

const WORDS = 20_000;
/** Of one answer. Of more values, these are spread over all. */
const VALUES = 20_000;
const LEAVES = 50_000;
const DEPTH = 12;

/** An answer as it is, and as it reads once what hides a text is undone. */
function* textsOf({ headers, asides = [], body }: HttpResponse): Generator<string> {
  const heads = [...headers.map(([, value]) => value), ...asides];
  for (const text of [...bodyTexts(endsOf(unzipped(body))), ...heads]) {
    // Some write 1,420,405,751.
    const decoded = [...new Set([text, decodeOnce(text), text.replace(/(?<=\d),(?=\d{3}(?!\d))/g, '')])];
    yield* decoded;
    for (const inner of decoded.flatMap(encodedIn)) {
      yield inner;
      yield* encodedIn(inner);
    }
  }
}

/** The beginning and the end of a large body: a client that waits for its next request must not see its token age. */
function endsOf(body: Buffer): Buffer {
  if (body.length <= 2 * END_BYTES) return body;
  return Buffer.concat([body.subarray(0, END_BYTES), Buffer.from(' '), body.subarray(-END_BYTES)]);
}

const END_BYTES = 128 * 1024;

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
    return gunzipSync(body, { maxOutputLength: UNZIPPED_BYTES });
  } catch {
    return body;
  }
}

const UNZIPPED_BYTES = 8 * 1024 * 1024;

/** The values of the records, without those that all of them share, and without a time where nothing else is left. */
function valuesOf(value: unknown): Set<number> {
  const records = recordsOf(value);
  const list = Array.isArray(records) && records.length > 1 ? records : [records];
  const each =
    list.length > 2 * END_RECORDS ? [...list.slice(0, END_RECORDS), ...list.slice(-END_RECORDS)] : list;
  const [first = new Set<string>(), ...others] = each.map((record) => new Set(wordsIn(leavesOf(record))));
  const shared = new Set(
    others.length > 0 ? [...first].filter((one) => others.every((other) => other.has(one))) : [],
  );
  const words = [...new Set([first, ...others].flatMap((some) => [...some]))].filter(
    (one) => !shared.has(one),
  );
  if (words.every((word) => TIME.test(word))) return new Set();
  const step = Math.max(1, words.length / VALUES);
  const length = Math.min(words.length, VALUES);
  return new Set(Array.from({ length }, (_, nth) => hashOf(words[Math.floor(nth * step)] ?? '')));
}

/** The records at each end of a long list stand for all. */
const END_RECORDS = 500;

/** The time of an answer, in any answer. */
const TIME = /^\d{4}-\d\d-\d\dt/;

/** The largest list of objects; without one, the whole value. */
function recordsOf(value: unknown): unknown {
  let [largest, most]: [unknown, number] = [value, 0];
  const visit = (node: unknown, name: string, depth: number) => {
    if (typeof node !== 'object' || node === null || depth === 4) return;
    if (Array.isArray(node)) {
      const size = ABOUT_ANSWERS.test(name) ? 0 : countOf(leavesOf(node));
      if (node.some((one) => typeof one === 'object' && one !== null) && size > most)
        [largest, most] = [node, size];
      return;
    }
    for (const own of Object.keys(node).slice(0, 100))
      visit((node as Record<string, unknown>)[own], own, depth + 1);
  };
  visit(value, '', 0);
  return largest;
}

function countOf(items: Iterable<string>): number {
  let count = 0;
  for (const _ of items) count++;
  return count;
}

function* leavesOf(value: unknown): Generator<string> {
  let left = LEAVES;
  function* visit(node: unknown, depth: number): Generator<string> {
    if (typeof node === 'string') yield node;
    else if (typeof node === 'number') yield String(node);
    else if (typeof node === 'object' && node !== null && depth < DEPTH)
      for (const name in node) {
        if (left-- <= 0) return;
        yield* visit((node as Record<string, unknown>)[name], depth + 1);
      }
  }
  yield* visit(value, 0);
}

/** What long runs of base64 and of hexadecimal digits stand for. */
const encodedIn = (text: string): string[] => [
  ...(text.match(/[\w+/-]{24,}={0,2}/g) ?? [])
    .slice(0, 20)
    .map((run) => Buffer.from(run, 'base64').toString('utf8')),
  ...(text.match(/(?:[\da-f]{2}){16,}/gi) ?? [])
    .slice(0, 20)
    .map((run) => Buffer.from(run, 'hex').toString('utf8')),
];

// The words of a text by which data is recognised.

/** Numbers and words of letters and digits, as they are in any text. */
const WORD = /[\p{L}\p{N}+-][\p{L}\p{N}_.:+-]*/gu;
const ENDS = /[.:_+-]+$/;
/** Several words that have become one, such as in an ETag. */
const JOINED = /^(?=.{9})[^._:]*[._:]/;

/** The distinctive words, as they are compared. */
function* wordsIn(texts: Iterable<string>): Generator<string> {
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      const word = normal(match.replace(ENDS, ''));
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

/** FNV-1a, of 32 bits. */
function hashOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
