/** The answers of a document that say on which condition they are owed. */
import { type Node, nodeOf, resolved } from './json-pointer.ts';

/** An answer, where `x-owed-when` stands: at an example, or, where there is no body, at the response or below it. */
export interface ConditionalAnswer {
  when: string;
  status: number;
  /** Absent where the answer has no body. */
  mediaType?: string;
  /** Name of the example. */
  example?: string;
  /** What the document says of this answer alone. */
  described: Node;
}

/**
 * Of one operation, in the order of the document. One status may have answers of several media types, and answers
 * without a body beside them: those have names below `x-without-body`, as examples have them.
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
          ...{ status, mediaType, example, described: nodeOf(described) },
        })),
      ),
    ].flatMap((one) => {
      const when = one.described['x-owed-when'];
      return when === undefined ? [] : { ...one, when: String(when) };
    });
  });
}
