/**
 * Recognises the data in whatever form an answer holds it: JSON of another shape, CSV, XML, HTML, a text, a header. It
 * looks for the distinctive values of the records, since a refusal may share anything else with the data.
 */
import { decodeOnce } from '../../support/decoded-text.ts';
import type { DataProbes, Observed, Probe, Response } from '../support/evidence.ts';
import { isAnswered, isSuccess, mapExchanges } from '../support/evidence.ts';
import type { Parsed } from '../support/json.ts';
import type { HttpResponse } from './http.ts';

export interface DataValues {
  /** Notes what the answer to the request with this id holds. */
  note(id: string, answer: HttpResponse, parsed: Parsed): void;
  /** The same, with `values` of every answer of the data endpoint filled in; to be called at the end of a run. */
  count(observed: Observed): Observed;
}

/** Hashes of words: they take little memory, and keep nothing that an answer said. */
type Words = ReadonlySet<number>;

interface Noted {
  /** All distinctive words of the answer. */
  words: Words;
  /** Those that are values of its records. */
  values: Words;
}

export function createDataValues(): DataValues {
  const noted = new Map<string, Noted>();
  const wordsOf = (probe: Probe): Noted | undefined => ('id' in probe ? noted.get(probe.id) : undefined);

  return {
    note(id, { headers, body }, parsed) {
      const text = body.toString('utf8', 0, TEXT_BYTES);
      const readings = [text, decodeOnce(text), ...headers.map(([, value]) => value)];
      const values = parsed.wellFormed ? hashesOf(leavesOf(recordsOf(parsed.value))) : new Set<number>();
      noted.set(id, { words: hashesOf([...readings, ...readings.flatMap(base64In)]), values });
    },

    count(observed) {
      const served = SERVED.map((key) => observed.data[key]).filter(
        (probe) => isAnswered(probe) && isSuccess(probe),
      );
      const data = new Set(served.flatMap((probe) => [...(wordsOf(probe)?.values ?? [])]));
      // What other answers of the deployment hold too is not distinctive.
      const elsewhere = [
        ...Object.values(observed.token),
        ...observed.health.flatMap((one) => Object.values(one)),
      ];
      for (const probe of elsewhere) for (const word of wordsOf(probe)?.words ?? []) data.delete(word);
      return mapExchanges(observed, (exchange) => {
        const words = wordsOf(exchange)?.words;
        if (!exchange.response || !words || exchange.response.tokenResponse) return exchange;
        const found = [...data].filter((word) => words.has(word)).length;
        return {
          ...exchange,
          response: { ...exchange.response, values: { found, of: data.size } } satisfies Response,
        };
      });
    },
  };
}

/** The requests whose answer is the data. */
const SERVED = [
  'first',
  'second',
  'third',
  'late',
  'freshToken',
  'newestToken',
  'control',
] as const satisfies (keyof DataProbes)[];

const TEXT_BYTES = 1024 * 1024;
const WORDS = 20_000;
const LEAVES = 5000;
const DEPTH = 12;

/** Numbers and words of letters and digits, as they are in any text. */
const WORD = /[\p{L}\p{N}+-][\p{L}\p{N}_.:+-]*/gu;

function hashesOf(texts: Iterable<string>): Set<number> {
  const hashes = new Set<number>();
  for (const text of texts)
    for (const [match] of text.matchAll(WORD)) {
      if (hashes.size === WORDS) return hashes;
      const word = normal(match.replace(/[.:_+-]+$/, ''));
      if (isDistinctive(word)) hashes.add(hashOf(word));
    }
  return hashes;
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

/** The largest list of objects; without one, the whole value. */
function recordsOf(value: unknown): unknown {
  let [largest, most]: [unknown, number] = [value, 0];
  const visit = (node: unknown, name: string, depth: number) => {
    if (typeof node !== 'object' || node === null || depth === 4) return;
    if (Array.isArray(node)) {
      const size = ABOUT_ANSWERS.test(name) ? 0 : [...leavesOf(node)].length;
      if (node.some((one) => typeof one === 'object' && one !== null) && size > most)
        [largest, most] = [node, size];
      return;
    }
    for (const [own, member] of Object.entries(node).slice(0, 100)) visit(member, own, depth + 1);
  };
  visit(value, '', 0);
  return largest;
}

/** Lists that refusals have as well as data. */
const ABOUT_ANSWERS = /^_?(links|errors|warnings|messages|details|docs)$/i;

function* leavesOf(value: unknown): Generator<string> {
  let left = LEAVES;
  function* visit(node: unknown, depth: number): Generator<string> {
    if (typeof node === 'string') yield node;
    else if (typeof node === 'number') yield String(node);
    else if (typeof node === 'object' && node !== null && depth < DEPTH)
      for (const member of Object.values(node)) {
        if (left-- <= 0) return;
        yield* visit(member, depth + 1);
      }
  }
  yield* visit(value, 0);
}

/** What long runs of base64 stand for, such as in a header. */
const base64In = (text: string): string[] =>
  (text.match(/[\w+/-]{24,}={0,2}/g) ?? [])
    .slice(0, 20)
    .map((run) => Buffer.from(run, 'base64').toString('utf8'));
