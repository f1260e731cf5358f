/** What the specification states, as `x-clauses` of openapi.yaml mark it: a profile that changes it is refused. */
import { createRequire } from 'node:module';
import { isDeepStrictEqual } from 'node:util';
import {
  type ConditionalAnswer,
  conditionalAnswers,
  type Node,
  nodeOf,
  operationsIn,
  valueAt,
  walk,
} from './document.ts';

/** Of texts, extensions and examples, which a profile may change. */
const isOpen = (key: string, member: unknown): boolean =>
  key.startsWith('x-') ||
  key === 'examples' ||
  (typeof member !== 'object' && ['description', 'summary', 'title'].includes(key));

function bare(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => !isOpen(key, member))
      .map(([key, member]) => [key, bare(member)]),
  );
}

const isSame = (one: unknown, other: unknown): boolean => isDeepStrictEqual(bare(one), bare(other));

const isSuccess = (status: number) => status >= 200 && status <= 299;
const isJson = (mediaType = '') => /^[\w.-]+\/([\w.-]+\+)?json$/.test(mediaType);
const membersOf = ({ mediaType, described: { value } }: ConditionalAnswer): string[] =>
  isJson(mediaType) && !Array.isArray(value) ? Object.keys(nodeOf(value)) : [];

/** A refusal may have a 2xx status, as a login page has, as long as it does not contain what a success contains. */
function isRefusal(answer: ConditionalAnswer, successes: readonly ConditionalAnswer[]): boolean {
  if (!isSuccess(answer.status) || answer.mediaType === undefined) return answer.status >= 200;
  if (!isJson(answer.mediaType)) return successes.every(({ mediaType }) => mediaType !== answer.mediaType);
  const own = membersOf(answer);
  return own.length > 0 && !successes.flatMap(membersOf).some((name) => own.includes(name));
}

const operationOf = (document: Node, id: unknown) =>
  operationsIn(document).find(({ node }) => node.operationId === id)?.node;

/** Whether there are answers to the condition of the example, and each is of its kind. */
function isAnswered(
  document: Node,
  id: unknown,
  { 'x-response-when': when, ...example }: Node,
  code: number,
) {
  const all = conditionalAnswers(document, operationOf(document, id));
  const successes = all.filter((one) => /^valid-/.test(one.when));
  const own = all.filter((one) => one.when === when);
  const fits = (one: ConditionalAnswer) => {
    if (example['x-stated'] === 'status' && one.status !== code) return false;
    if (!isSuccess(code)) return isRefusal(one, successes);
    return isSuccess(one.status) && (one.status === 204 || isJson(one.mediaType));
  };
  return own.length > 0 && own.every(fits);
}

/** What the base document states: the clauses, and whether the document of the profile still has it. */
function* statements(base: Node, document: Node): Generator<readonly [clauses: string[], holds: boolean]> {
  for (const { key, above, value } of walk(base)) {
    if (key !== 'x-clauses') continue;
    const node = nodeOf(valueAt(base, above));
    const [operation = ''] = /^\/paths\/[^/]+\/\w+/.exec(above) ?? [];
    const { operationId } = nodeOf(valueAt(base, operation));
    const code = Number(/\/responses\/(\d+)/.exec(above)?.[1]);
    if (node['x-response-when'] !== undefined)
      yield [value as string[], isAnswered(document, operationId, node, code)];
    // What an operation states is in its parts, and its path is checked by itself.
    else if (above !== operation && !above.startsWith('/servers'))
      yield [value as string[], isSame(node, valueAt(document, above))];
  }
  for (const { path, node } of operationsIn(document)) {
    const isKept = isDeepStrictEqual(node.security ?? document.security, base.security);
    const isFree = isDeepStrictEqual(node.security, []);
    if (path === '/token/') yield [['MRS-4.1b'], isFree];
    else if (isHealthCheck(node)) yield [['MRS-4.3b', 'MRS-4.3a'], isFree];
    else yield [['MRS-5.4'], isKept];
  }
}

const isHealthCheck = ({ operationId }: Node): boolean => /^checkHealth/.test(String(operationId));

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
  for (const [clauses, holds] of statements(base, document)) {
    if (holds || clauses.every((id) => notOffered.includes(id))) continue;
    const statement = requirements.find(({ id }) => id === clauses[0])?.statement;
    return `${clauses[0]} states: "${statement}" The profile changes that. Keep it as in openapi.yaml.`;
  }
  const open = ((base['x-open-points'] ?? []) as { id: string }[]).map(({ id }) => id);
  for (const { key, pointer, value } of walk(document)) {
    if (key !== 'x-declared') continue;
    const { answers, statement } = nodeOf(value);
    if (typeof answers !== 'string' || typeof statement !== 'string' || statement === '')
      return `${pointer} lacks "answers" or "statement". Write which open point it answers, and how.`;
    if (!open.includes(answers))
      return `${pointer} answers ${answers}, which is not an open point. The open points are ${open.join(', ')}.`;
  }
  return undefined;
}
