/** Which operation a request asks for. The trailing slash counts, as in the specification. */
import { closest } from 'fastest-levenshtein';
import type { OperationId } from '../contract/answers.ts';
import type { Operation } from '../contract/operation.ts';
import { failure, type Reply } from '../wire/reply.ts';

export type Route =
  | { kind: 'operation'; id: OperationId }
  /** Nothing is at `path`, which is cut to a readable length; `nearest` is the path most like it. */
  | { kind: 'no-path'; path: string; nearest: string }
  /** The path is there, for the methods in `allow` alone. */
  | { kind: 'no-method'; method: string; path: string; allow: string };

/** `basePath` stands before every path and has no slash at its end. HEAD is answered wherever GET is. */
export function createRoutes(operations: readonly Operation[], basePath: string) {
  const methods = new Map<string, Map<string, OperationId>>();
  for (const { id, method, path } of operations) {
    const atPath = methods.get(basePath + path) ?? new Map<string, OperationId>();
    methods.set(basePath + path, atPath.set(method, id));
    if (method === 'GET') atPath.set('HEAD', id);
  }

  /** `target` is the request's, in any form of RFC 9112 section 3.2; its query plays no part. */
  return (method: string, target: string): Route => {
    const path = pathOf(target);
    const atPath = methods.get(path);
    if (!atPath) {
      const shown = path.slice(0, 100);
      return { kind: 'no-path', path: shown, nearest: closest(shown, [...methods.keys()]) };
    }
    const id = atPath.get(method);
    return id
      ? { kind: 'operation', id }
      : { kind: 'no-method', method, path, allow: [...atPath.keys()].join(', ') };
  };
}

/** Never decoded or normalised: an address that is not exactly the specification's is another one. */
export function pathOf(target: string): string {
  if (!target.startsWith('/') && URL.canParse(target)) return new URL(target).pathname;
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** The reply to a request that asks for no operation. */
export function noOperation(route: Exclude<Route, { kind: 'operation' }>): Reply {
  return route.kind === 'no-path'
    ? failure(404, 'not_found', `There is nothing at ${route.path}. ${whereElse(route)}`)
    : failure(
        405,
        'method_not_allowed',
        `${route.path} does not answer ${route.method}, but ${route.allow}.`,
        {
          allow: route.allow,
        },
      );
}

const whereElse = ({ path, nearest }: Extract<Route, { kind: 'no-path' }>): string =>
  path.includes('/__mock')
    ? 'The control of the mock, if it has one, is at /__mock, before every base path.'
    : `The nearest path is ${nearest}.`;
