/** Names of fields and parameters, as far as they can be shown. */

/** `name`, or `‹…›` where it is none that a person would give: clients have put credentials and whole bodies there. */
export const plainName = (name: string): string =>
  /^[\w.$:[\]-]{0,40}$/.test(name) && !name.split(/[^a-z\d]/i).some(isMixed) ? name : '‹…›';

/** A word of letters and digits that is too long for a name with a number. */
const isMixed = (word: string): boolean => word.length >= 8 && /\d/.test(word) && /[a-z]/i.test(word);
