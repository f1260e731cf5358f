/** The contract's types: whether openapi.d.ts is what openapi.yaml makes. */
import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';

/** `source` is the text of openapi.yaml, `types` that of openapi.d.ts. */
export async function typesFaults(source: string, types: string): Promise<string[]> {
  try {
    if (types === COMMENT_HEADER + astToString(await openapiTypes(source, { silent: true }))) return [];
    return [
      'openapi.d.ts: it differs from what openapi.yaml generates. Delete it, and run `npm run generate`.',
    ];
  } catch (error) {
    return [`openapi.yaml#: no types can be made of it: ${(error as Error).message}. Correct it.`];
  }
}
