/** The answers of a document that declare their condition. */
import { type Node, nodeOf, resolved } from './json-pointer.ts';

/** An answer with `x-response-when`: at an example or, without a body, at the response or below it. */
export interface ConditionalAnswer {
  when: string;
  status: number;
  /** Absent if the answer has no body. */
  mediaType?: string;
  /** Name of the example. */
  example?: string;
  /** What the document says about this answer only. */
  described: Node;
}

/**
 * The answers of one operation, in the order of the document. A status may have answers of several media types and,
 * below `x-without-body`, named answers without a body.
 */
export function conditionalAnswers(document: unknown, operation: unknown): ConditionalAnswer[] {
  return Object.entries(nodeOf(nodeOf(operation).responses)).flatMap(([code, given]) => {
    const status = Number(code);
    const response = nodeOf(resolved(document, given));
    const bodiless = [response, ...Object.values(nodeOf(response['x-without-body'])).map(nodeOf)];
    return [
      ...bodiless.map((described) => ({ status, described })),
      ...Object.entries(nodeOf(response.content)).flatMap(([mediaType, media]) =>
        Object.entries(nodeOf(nodeOf(media).examples)).map(([example, described]) => ({
          status,
          mediaType,
          example,
          described: nodeOf(described),
        })),
      ),
    ].flatMap((one) => {
      const when = one.described['x-response-when'];
      return when === undefined ? [] : { ...one, when: String(when) };
    });
  });
}
