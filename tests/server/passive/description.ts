/**
 * What is kept of the body of an answer, as small as it can be: a recording has a hundred thousand answers, each of up to
 * fifty records, and the judges ask for the records of few of them.
 */
import type { Json, Response } from '../support/evidence.ts';

/** What is kept of an answer, without its headers: those are kept with the exchange. */
export type Description = Omit<Response, 'headers'>;

type Described = Extract<Json, { wellFormed: true }>;

/** Bodies of at most this many kinds are compared with a new one. */
const KINDS = 500;
const DIGEST_BYTES = 16;

/** Makes descriptions that share the names of members, and unpack the digests of records when they are asked for. */
export function createDescriber(): (response: Response) => Description {
  const kinds = new Map<string, Json>();

  function kindOf(json: Json): Json {
    const key = JSON.stringify(json);
    const known = kinds.get(key);
    if (known) return known;
    if (kinds.size === KINDS) kinds.clear();
    kinds.set(key, json);
    return json;
  }

  return ({ headers: _, json, ...response }) => ({ ...response, json: packed(json, kindOf) });
}

function packed(json: Json, kindOf: (json: Json) => Json): Json {
  if (!json.wellFormed || !json.records) return kindOf(json);
  const { records, ...kind } = json;
  const bytes = Buffer.from(records.join(''), 'hex').toString('latin1');
  return Object.defineProperty({ ...(kindOf(kind) as Described), [BYTES]: bytes }, 'records', UNPACKING);
}

const BYTES = Symbol('digests of records, sixteen characters each');

/** One for all descriptions: with a function each, they would take more memory than the digests. */
const UNPACKING = {
  enumerable: true,
  get(this: { [BYTES]: string }): string[] {
    const bytes = this[BYTES];
    return Array.from({ length: bytes.length / DIGEST_BYTES }, (_, nth) =>
      Buffer.from(bytes.slice(nth * DIGEST_BYTES, (nth + 1) * DIGEST_BYTES), 'latin1').toString('hex'),
    );
  },
};
