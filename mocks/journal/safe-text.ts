/** Parts of a request in a form that can be shown: short, and without long words, which may be tokens. */

/** Longer texts are cut, in characters. */
const LONGEST = 200;
const MOST_MEDIA_TYPES = 1000;

/** Long segments are left out: clients have put secrets into paths. */
export const readablePath = (path: string): string =>
  path.length < 24 ? path : (cut(path.replace(/[^/]{24,}/g, ({ length }) => `‹${length} characters›`)) ?? '');

/** Media types with q and charset (RFC 9110 section 12.5.1); `‹…›` replaces anything else. */
export function mediaOf(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const known = media.get(text);
  if (known !== undefined) return known;
  const shown = (cut(text) ?? '').split(',').map(shownRange).join(', ');
  if (media.size >= MOST_MEDIA_TYPES) media.clear();
  media.set(copied(text), shown);
  return shown;
}

function shownRange(range: string): string {
  const [type = '', ...parameters] = range.split(';').map((part) => part.trim());
  const kept = parameters.filter((part) => /^(q=[\d.]{1,5}|charset=[\w-]{1,20})$/i.test(part));
  const isType =
    /^(\*|application|audio|font|image|message|model|multipart|text|video)\/[\w*+.-]{1,24}$/i.test(type);
  const rest = kept.length < parameters.length ? ['‹…›'] : [];
  return [isType ? type : '‹…›', ...kept, ...rest].join('; ');
}

const media = new Map<string, string>();

/** A substring keeps the whole string in memory; a copy does not. */
export const copied = (text: string): string => Buffer.from(text).toString();

/** At most 200 characters, copied if shortened. */
export const cut = (text: string | undefined): string | undefined =>
  text === undefined || text.length <= LONGEST ? text : Buffer.from(text.slice(0, LONGEST)).toString();
