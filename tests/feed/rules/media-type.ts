/** The media type of a response that is a feed. */

/** What is wrong with a Content-Type, or with several of them; undefined if it is that of JSON. */
export function mediaTypeProblem(contentType: string): string | undefined {
  // Several headers are joined by commas; readers differ in which of them they take.
  const types = contentType
    .replace(/"[^"]*"/g, '')
    .split(',')
    .map((one) => one.split(';', 1)[0]?.trim().toLowerCase());
  if (types.every((type = '') => /^application\/([\w.!#$&^-]+\+)?json$/.test(type))) return undefined;
  return contentType.trim() === ''
    ? 'the response has no Content-Type; expected application/json'
    : `the Content-Type is ${JSON.stringify(contentType)}; expected application/json`;
}
