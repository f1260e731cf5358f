/** Members of what was parsed from a file, whatever it is. */

/** The members of an object; of anything else, none. */
export const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

/** A number, also where it was written as a string; NaN for anything else. */
export const numberOf = (value: unknown): number =>
  typeof value === 'number' || (typeof value === 'string' && value.trim() !== '')
    ? Number(value)
    : Number.NaN;
