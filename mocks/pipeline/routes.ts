/** Which operation a request asks for. The trailing slash is significant, as in the specification. */
import { closest } from 'fastest-levenshtein';
import type { OperationId } from '../contract/answers.ts';
import type { Operation } from '../contract/operation.ts';
import { failure, type Reply } from '../wire/reply.ts';

export type Route =
  | { kind: 'operation'; id: OperationId }
  /** The contract has no such path. `path` is cut to a readable length; `nearest` is the most similar path. */
  | { kind: 'no-path'; path: string; nearest: string }
  /** The path exists, but only for the methods in `allow`. */
  | { kind: 'no-method'; method: string; path: string; allow: string };

/** `basePath` precedes every path and has no trailing slash. HEAD is answered wherever GET is. */
export function createRoutes(operations: readonly Operation[], basePath: string) {
  const methods = new Map<string, Map<string, OperationId>>();
  for (const { id, method, path } of operations) {
    const atPath = methods.get(basePath + path) ?? new Map<string, OperationId>();
    methods.set(basePath + path, atPath.set(method, id));
    if (method === 'GET') atPath.set('HEAD', id);
  }

  /** `target` is the request target in any form of RFC 9112 section 3.2; its query is ignored. */
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

/** Never decoded or normalised: a path that is not exactly the specification's is a different one. */
export function pathOf(target: string): string {
  if (!target.startsWith('/') && URL.canParse(target)) return new URL(target).pathname;
  const end = target.search(/[?#]/);
  return end === -1 ? target : target.slice(0, end);
}

/** The reply to a request that matches no operation. */
export function noOperation(route: Exclude<Route, { kind: 'operation' }>): Reply {
  if (route.kind === 'no-path')
    return failure(404, 'not_found', `There is nothing at ${route.path}. ${hintFor(route)}`);
  const { path, method, allow } = route;
  return failure(405, 'method_not_allowed', `${path} does not support ${method}. Use ${allow}.`, { allow });
}

const hintFor = ({ path, nearest }: Extract<Route, { kind: 'no-path' }>): string =>
  path.includes('/__mock')
    ? 'The control API of the mock, if enabled, is at /__mock, without a base path.'
    : `The nearest path is ${nearest}.`;
