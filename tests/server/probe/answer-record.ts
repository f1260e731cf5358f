/** What is kept of an answer: never its body, only what the verdicts need of it. */
import { createHash } from 'node:crypto';
import type { Secrets } from '../../support/secrets.ts';
import type { Response } from '../support/evidence.ts';
import { describeJson, mediaTypeOf, type Parsed, parseJson } from '../support/json.ts';
import { shapeOf } from './body-shape.ts';
import type { HttpResponse } from './http.ts';

/** Adds what only one operation knows of its answer. */
export type ReadAnswer = (answer: HttpResponse, parsed: Parsed) => Partial<Response>;

const EXCERPT_CHARACTERS = 2000;
/** Of one text in a body. */
const TEXT_CHARACTERS = 200;
const EXCERPT_BYTES = 1024 * 1024;

export function recordOf(
  answer: HttpResponse,
  read: ReadAnswer,
  secrets: Pick<Secrets, 'excerpt'>,
): Response {
  const parsed = parseJson(answer.body);
  const extra = read(answer, parsed); // First, since it registers the secrets that the body holds.
  const mediaType = mediaTypeOf(answer.headers.find(([name]) => name === 'content-type')?.[1]);
  return {
    status: answer.status,
    ...(mediaType !== undefined && { mediaType }),
    headers: answer.headers,
    bodyBytes: answer.body.length,
    digest: createHash('sha256').update(answer.body).digest('hex'),
    excerpt: secrets.excerpt(answer.body.toString('utf8', 0, EXCERPT_BYTES), EXCERPT_CHARACTERS),
    json: describeJson(parsed),
    ...(parsed.wellFormed &&
      !('shape' in extra) && {
        shape: shapeOf(parsed.value, (text) => secrets.excerpt(text, TEXT_CHARACTERS)),
      }),
    ...extra,
  };
}
