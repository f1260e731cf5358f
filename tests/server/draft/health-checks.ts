/** The health checks that answered, as statements of a draft and as actions of its overlay. */
import { operationsIn } from '../support/declared.ts';
import { type Evidence, inWords, isAnswered, isSuccess } from '../support/evidence.ts';
import type { Annotate, Drafted, LeftOut, Node } from './drafted.ts';
import { addTo } from './overlay-actions.ts';
import { describe, type SeenAnswer } from './seen-answers.ts';

export interface HealthCheck {
  method: string;
  path: string;
  answer: SeenAnswer;
  facts: [path: Drafted, method: Drafted, answer: Drafted];
}

/** Adds to `left` the paths that did not answer with success. */
export function healthChecks({ health }: Evidence, left: LeftOut[]): HealthCheck[] {
  return health
    .map(({ plain }) => plain)
    .filter(isAnswered)
    .flatMap((plain) => {
      const { method, path } = plain.request;
      const leave = (reason: string) => {
        left.push({ answers: 'MRS-4.3c', reason: `${inWords(plain)}${reason}` });
        return [];
      };
      if (!isSuccess(plain)) return leave(', which says nothing of how it answers when all is well.');
      if (!/^\/[\w./~-]+$/.test(path) || ['/token/', '/ods_data/'].includes(path))
        return leave('. Its path is not allowed in a profile.');
      const condition = { operation: 'checkHealth', when: 'any-request', answers: 'MRS-4.3e', what: '' };
      const answer = describe(condition, `The health check ${method} ${path}`, [plain]);
      const evidence = { seen: 1, requests: [plain.what] };
      const facts: HealthCheck['facts'] = [
        { answers: 'MRS-4.3c', statement: `There is a health check at ${path}.`, ...evidence },
        { answers: 'MRS-4.3d', statement: `The health check at ${path} answers ${method}.`, ...evidence },
        answer,
      ];
      return { method, path, answer, facts };
    });
}

export function healthActions(document: Node, checks: readonly HealthCheck[], annotate: Annotate): Node[] {
  const paths: Record<string, Node> = {};
  checks.forEach(({ method, path, answer, facts: [place, how] }, index) => {
    const responses: Node = { '406': { $ref: '#/components/responses/NotAcceptable' } };
    addTo(responses, answer, annotate);
    const item = paths[path] ?? annotate(place);
    paths[path] = item;
    item[method.toLowerCase()] = {
      operationId: `checkHealth${index === 0 ? '' : index + 1}`,
      summary: 'Check health',
      'x-clauses': ['MRS-4.3a', 'MRS-4.3b'],
      security: [],
      ...annotate(how),
      responses,
    };
  });
  const before = operationsIn(document).filter(({ id }) => id.startsWith('checkHealth'));
  return [
    ...[...new Set(before.map(({ path }) => path))].map((path) => ({
      target: `$.paths['${path}']`,
      remove: true,
    })),
    { target: '$.paths', update: paths },
  ];
}
