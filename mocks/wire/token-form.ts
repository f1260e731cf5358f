/** The form of a token request, as far as the contract's schema cannot validate it. */
import type { components } from 'mrs-contract/openapi';

type Field = keyof components['schemas']['TokenRequest'];

/** Typed by the contract: an added or removed field is a compile error here. */
const fields = Object.keys({
  grant_type: true,
  client_id: true,
  client_secret: true,
} satisfies Record<Field, true>) as Field[];

export interface Form {
  /** First value of each field; the empty string if it is missing. */
  values: Record<Field, string>;
  /** Every field is present exactly once, with a value. Repeated and empty fields are errors (RFC 6749 section 3.2). */
  complete: boolean;
  /** The specification's fields that are present. */
  names: readonly string[];
}

/** Reads any text; malformed percent-encoding is kept unchanged (URL Standard, section 5.1). */
export function readForm(body: string): Form {
  const entries = new URLSearchParams(`&${body}`); // without the ampersand a leading "?" would be dropped
  return {
    values: Object.fromEntries(fields.map((name) => [name, entries.get(name) ?? ''])) as Record<
      Field,
      string
    >,
    names: fields.filter((name) => entries.has(name)),
    complete: fields.every((name) => entries.getAll(name).length === 1 && entries.get(name) !== ''),
  };
}
