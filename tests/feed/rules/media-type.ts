/** The media type of a response that is a feed. */

/** What is wrong with a Content-Type; undefined if it is that of JSON. */
export function mediaTypeProblem(contentType: string): string | undefined {
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (/^application\/([\w.!#$&^-]+\+)?json$/.test(type)) return undefined;
  return type === ''
    ? 'the response has no Content-Type; expected application/json'
    : `the Content-Type is ${JSON.stringify(contentType)}; expected application/json`;
}
