/** Deployments with other data and health checks: the specification does not show the shape of either. */

import { answers } from '../../contract/answers.ts';
import type { Variant } from '../deployment.ts';
import { mapOperation, mapReplyTo, moveOperation } from '../overrides.ts';
import { body, empty, json, mediaType, noContent, sequence, status } from '../reply-edits.ts';

const data = (name: string, summary: string, text: string): Variant => ({
  name: `data-${name}`,
  summary: `gives the data as ${summary}`,
  override: mapReplyTo(answers.served, body(text)),
});

const dataAs = (name: string, type: string): Variant => ({
  name: `data-${name}`,
  summary: `gives the data as ${type}`,
  override: mapReplyTo(answers.served, mediaType(type)),
});

const records = Array.from({ length: 20_000 }, (_, index) => ({ id: index, kind: 'request', state: null }));

export const answerVariants: Variant[] = [
  data('array', 'a list of records', '[{"id":1},{"id":2}]'),
  data('empty-array', 'an empty list', '[]'),
  data('empty-object', 'an empty object', '{}'),
  data('null', 'null', 'null'),
  {
    name: 'data-large',
    summary: 'gives the data as a list of 20000 records',
    override: mapReplyTo(
      answers.served,
      json(() => records),
    ),
  },
  dataAs('charset', 'application/json; charset=utf-8'),
  dataAs('text-json', 'text/json'),
  dataAs('json-suffix', 'application/geo+json'),
  {
    name: 'data-203',
    summary: 'gives the data with status 203',
    override: mapReplyTo(answers.served, status(203)),
  },
  {
    name: 'data-204',
    summary: 'has no data at the moment, and answers 204',
    override: mapReplyTo(answers.served, noContent),
  },
  {
    name: 'data-205',
    summary: 'has no data at the moment, and answers 205',
    override: mapReplyTo(answers.served, sequence(status(205), empty)),
  },
  {
    name: 'health-text',
    summary: 'answers health checks with plain text',
    override: mapOperation('checkHealth', sequence(body('OK\n'), mediaType('text/plain'))),
  },
  {
    name: 'health-204',
    summary: 'answers health checks with 204',
    override: mapOperation('checkHealth', noContent),
  },
  {
    name: 'health-503',
    summary: 'is unhealthy, and answers its health check with 503',
    override: mapOperation(
      'checkHealth',
      sequence(
        status(503),
        json(() => ({ status: 'down' })),
      ),
    ),
  },
  {
    name: 'health-elsewhere',
    summary: 'has its health check at /status',
    override: moveOperation('checkHealth', (operation) => ({ ...operation, path: '/status' })),
  },
  {
    name: 'health-several',
    summary: 'has health checks at /health/live, /health/ready and /health/',
    override: moveOperation('checkHealth', (operation) => [
      { ...operation, path: '/health/live' },
      { ...operation, path: '/health/ready' },
      operation,
    ]),
  },
  {
    name: 'health-more-with-token',
    summary: 'answers health checks with more detail if there is a token',
    override: mapOperation(
      'checkHealth',
      json((own) => ({ ...own, queue: 3 })),
      ({ headers }) => headers.authorization !== undefined,
    ),
  },
  {
    name: 'health-head',
    summary: 'answers health checks to HEAD only',
    override: moveOperation('checkHealth', (operation) => ({ ...operation, method: 'HEAD' })),
  },
];
