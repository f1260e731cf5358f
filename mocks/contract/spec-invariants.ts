/** What the specification states, in terms of the document: a profile that changes it is refused. */
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import { append } from '@hyperjump/json-pointer';
import {
  type ConditionalAnswer,
  conditionalAnswers,
  type Node,
  nodeOf,
  operationsIn,
  resolved,
} from './document.ts';

const at = (node: unknown, ...keys: string[]): unknown =>
  keys.reduce<unknown>((value, key) => nodeOf(value)[key], node);
const TOKEN = ['paths', '/token/', 'post'];
const DATA = ['paths', '/ods_data/', 'get'];
const FORM = ['requestBody', 'content', 'application/x-www-form-urlencoded'];

/** Without descriptions, summaries and extensions, which a profile may change. */
function withoutAnnotations(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutAnnotations);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, member]) => typeof member === 'object' || !['description', 'summary', 'title'].includes(key),
      )
      .filter(([key]) => !key.startsWith('x-'))
      .map(([key, member]) => [key, withoutAnnotations(member)]),
  );
}

const unchanged =
  (...keys: string[]) =>
  (document: Node, base: Node) =>
    isDeepStrictEqual(withoutAnnotations(at(document, ...keys)), withoutAnnotations(at(base, ...keys)));

/** There is an answer to the condition, and each such answer satisfies `fits`. */
const hasAnswer =
  (path: readonly string[], when: string, fits: (answer: ConditionalAnswer, document: Node) => boolean) =>
  (document: Node): boolean => {
    const found = answersAt(document, path, when);
    return found.length > 0 && found.every((one) => fits(one, document));
  };

const answersAt = (document: Node, path: readonly string[], when: string): ConditionalAnswer[] =>
  conditionalAnswers(document, at(document, ...path)).filter((one) => one.when === when);

const isSuccess = (status: number) => status >= 200 && status <= 299;
const isJson = (mediaType = '') => /^[\w.-]+\/([\w.-]+\+)?json$/.test(mediaType);
const membersOf = ({ mediaType, described: { value } }: ConditionalAnswer): Node =>
  isJson(mediaType) ? nodeOf(value) : {};

/** A refusal may have a 2xx status, as a login page has, as long as it does not contain the data. */
const refused = (when: string) =>
  hasAnswer(DATA, when, (answer, document) => {
    if (answer.status >= 300 || answer.mediaType === undefined) return answer.status >= 200;
    if (!isSuccess(answer.status)) return false;
    const served = answersAt(document, DATA, 'valid-token');
    if (!isJson(answer.mediaType)) return served.every(({ mediaType }) => mediaType !== answer.mediaType);
    const own = Object.keys(membersOf(answer));
    const isApart = served.every((one) => Object.keys(membersOf(one)).every((name) => !own.includes(name)));
    return own.length > 0 && !Array.isArray(answer.described.value) && isApart;
  });

/** A refusal at the token endpoint: it does not contain a token. */
const noToken = (when: string) =>
  hasAnswer(TOKEN, when, (one) => one.status >= 300 || (isSuccess(one.status) && !membersOf(one).token));

/** Only refusals may have other media types than JSON. Another row decides whether there is an operation for the data. */
function isDataJson(document: Node): boolean {
  if (at(document, ...DATA) === undefined) return true;
  const types = Object.entries(nodeOf(at(document, ...DATA, 'responses')))
    .filter(([status]) => isSuccess(Number(status)))
    .flatMap(([, response]) => Object.entries(nodeOf(at(resolved(document, response), 'content'))));
  const served = answersAt(document, DATA, 'valid-token');
  return (
    served.length > 0 &&
    served.every(({ status, mediaType }) => status === 204 || isJson(mediaType)) &&
    types.every(([type, media]) => isJson(type) || Object.keys(nodeOf(at(media, 'examples'))).length > 0)
  );
}

type Holds = (document: Node, base: Node) => boolean;

const all =
  (...checks: readonly Holds[]): Holds =>
  (document, base) =>
    checks.every((holds) => holds(document, base));

/** Clauses, and whether a document still has what they state. */
export const INVARIANTS: readonly (readonly [clauses: string, holds: Holds])[] = [
  ['MRS-4.1a MRS-4.1m', hasAnswer(TOKEN, 'valid-credentials', ({ status }) => status === 200)],
  ['MRS-4.1b', unchanged(...TOKEN, 'security')],
  [
    'MRS-5.2 MRS-4.1c MRS-4.1d',
    all(
      unchanged(...TOKEN, ...FORM, 'schema'),
      unchanged('components', 'schemas', 'TokenRequest'),
      (document) => Object.keys(nodeOf(at(document, ...TOKEN, 'requestBody', 'content'))).length === 1,
    ),
  ],
  [
    'MRS-2a MRS-4.1k MRS-4.1l',
    all(
      unchanged('components', 'schemas', 'TokenResponse'),
      unchanged(...TOKEN, 'responses', '200', 'content', 'application/json', 'schema'),
      hasAnswer(TOKEN, 'valid-credentials', ({ mediaType }) => mediaType === 'application/json'),
    ),
  ],
  ['MRS-4.1e MRS-4.1g MRS-4.1i', noToken('malformed-request')],
  ['MRS-4.1f', noToken('other-grant-type')],
  ['MRS-4.1h MRS-4.1j', noToken('wrong-credentials')],
  ['MRS-4.2a MRS-5.3a MRS-5.3b', hasAnswer(DATA, 'valid-token', ({ status }) => isSuccess(status))],
  ['MRS-4.2b MRS-4.2c', isDataJson],
  ['MRS-1.3', all(refused('missing-token'), refused('malformed-token'))],
  ['MRS-5.5a MRS-5.5b', refused('unknown-token')],
  [
    'MRS-7a MRS-5.6a MRS-5.6b MRS-5.6c MRS-7b',
    hasAnswer(DATA, 'expired-token', ({ status }) => status === 403),
  ],
  [
    'MRS-5.4 MRS-5a',
    all(
      unchanged('components', 'securitySchemes', 'accessToken', 'type'),
      unchanged('components', 'securitySchemes', 'accessToken', 'scheme'),
      unchanged('security'),
      unchanged(...DATA, 'security'),
      (document, base) =>
        operationsIn(document).every(
          ({ path, node: { security } }) =>
            !isDeepStrictEqual(security, []) || path === '/token/' || isHealthCheck(path, document, base),
        ),
    ),
  ],
  [
    'MRS-4.3b MRS-4.3a',
    (document) =>
      operationsIn(document).every(
        ({ node: { operationId, security } }) =>
          !/^checkHealth/.test(String(operationId)) || isDeepStrictEqual(security, []),
      ),
  ],
];

/** A new open operation has to be declared as a health check, by its path or its method. */
function isHealthCheck(path: string, document: Node, base: Node): boolean {
  const own = operationsIn(document).filter((one) => one.path === path);
  const declared = [at(document, 'paths', path), ...own.map(({ node }) => node)]
    .map((one) => at(one, 'x-declared', 'answers'))
    .filter((point) => point !== undefined);
  return (
    own.every(({ node }) => /^checkHealth/.test(String(node.operationId))) &&
    declared.every((point) => /^MRS-4\.3/.test(String(point))) &&
    (at(base, 'paths', path) !== undefined || declared.length > 0)
  );
}

const requirements: readonly { id: string; statement: string; about?: string }[] = createRequire(
  import.meta.url,
)('mrs-contract/requirements.json');

/** The clauses that a deployment without tokens does not offer: token endpoint, tokens, health checks. */
export const TOKEN_CLAUSES: readonly string[] = requirements
  .filter(({ about }) => about === 'tokens')
  .map(({ id }) => id);

/**
 * Why a profile is invalid, as a sentence that names the clause; undefined if it only declares open points. Clauses in
 * `notOffered` are not checked.
 */
export function profileProblem(
  base: Node,
  document: Node,
  notOffered: readonly string[],
): string | undefined {
  for (const root of ['x-ambiguities', 'x-open-points', 'openapi'])
    if (!isDeepStrictEqual(document[root], base[root]))
      return `it changes ${root}, which belongs to the specification. Remove that change.`;
  const operations = operationsIn(document);
  const OWN: Readonly<Record<string, string>> = { obtainToken: '/token/', readData: '/ods_data/' };
  const wrongPath = operations.find(
    ({ path, node: { operationId: id } }, nth) =>
      Object.entries(OWN).some(
        ([own, at]) => (path === at && id !== own) || (notOffered.length === 0 && id === own && path !== at),
      ) || operations.findIndex(({ node }) => node.operationId === id) !== nth,
  );
  if (wrongPath)
    return `MRS-4.1a and MRS-4.2a state the paths of tokens and data, but it has the operation ${wrongPath.node.operationId} at ${wrongPath.path}. Give each operation an operationId of its own.`;
  const withTokens = operations.find(
    ({ path, node: { security = document.security } }) =>
      path === '/token/' || (Array.isArray(security) && security.length > 0),
  );
  if (notOffered.length > 0 && withTokens)
    return `x-not-offered is for a deployment without any tokens, but ${withTokens.path} requires them. Remove it from the profile's paths, or remove x-not-offered.`;
  for (const [clauses, holds] of INVARIANTS) {
    const ids = clauses.split(' ');
    if (ids.every((id) => notOffered.includes(id)) || holds(document, base)) continue;
    const statement = requirements.find(({ id }) => id === ids[0])?.statement;
    return `${ids[0]} states: "${statement}" The profile changes that. Keep it as in openapi.yaml.`;
  }
  const open = ((base['x-open-points'] ?? []) as { id: string }[]).map(({ id }) => id);
  for (const { pointer, declared } of declarations(document)) {
    const { answers, statement } = declared;
    if (typeof answers !== 'string' || typeof statement !== 'string' || statement === '')
      return `${pointer}/x-declared lacks "answers" or "statement". Write which open point it answers, and how.`;
    if (!open.includes(answers))
      return `${pointer}/x-declared answers ${answers}, which is not an open point. The open points are ${open.join(', ')}.`;
  }
  return undefined;
}

interface Declaration {
  /** JSON Pointer of the node that has the declaration. */
  pointer: string;
  declared: { answers: string; statement: string; source?: string };
}

/** Every `x-declared` of a document, in its order. */
function declarations(node: unknown, pointer = ''): Declaration[] {
  if (typeof node !== 'object' || node === null) return [];
  const declared = (node as { 'x-declared'?: Declaration['declared'] })['x-declared'];
  return [
    ...(declared ? [{ pointer, declared }] : []),
    ...Object.entries(node).flatMap(([key, value]) =>
      key === 'value' || key === 'x-declared' ? [] : declarations(value, append(key, pointer)),
    ),
  ];
}
