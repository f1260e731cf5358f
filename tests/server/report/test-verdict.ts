/** What a test that Playwright ran says of its requirement. */
import { stripVTControlCharacters } from 'node:util';
import type { TestCase, TestError, TestResult } from '@playwright/test/reporter';
import type { Finding } from '../../feed/findings.ts';
import type { TestVerdict } from './report.ts';

/** The verdict of one test, and the `problem`, a sentence, if the fault is the suite's own. */
export function verdictOf(
  { title }: Pick<TestCase, 'title'>,
  { status, annotations, error }: Pick<TestResult, 'status' | 'annotations' | 'error'>,
): TestVerdict & { problem?: string } {
  const said = (type: string) => annotations.find((one) => one.type === type)?.description;
  // What breaks a requirement is shown last, and told first: it stands behind what was expected.
  const at = annotations.findIndex(({ type }) => type === 'expected');
  const inOrder = at < 0 ? annotations : [...annotations.slice(at), ...annotations.slice(0, at)];
  const exchanges = inOrder.flatMap(({ type, description }) =>
    type === 'exchange' && description !== undefined ? description : [],
  );
  const findings = said('findings');
  const told = {
    ...{ id: title.split(' ', 1)[0] ?? '', exchanges },
    ...(findings !== undefined && { findings: JSON.parse(findings) as Finding[] }),
  };
  const expected = said('expected');

  if (status === 'passed') return { ...told, verdict: 'passed' };
  if (status === 'skipped') {
    const reason = said('could-not-run') ?? said('not-applicable') ?? 'The test was skipped.';
    return { ...told, verdict: said('not-applicable') ? 'not-applicable' : 'could-not-run', reason };
  }
  if (status === 'failed' && expected !== undefined) return { ...told, verdict: 'failed', expected };
  // No verdict was given on the deployment.
  const problem = `The test "${title}" ${status}: ${firstLine(error)}`;
  return { ...told, verdict: 'could-not-run', reason: `The test itself ${status}.`, problem };
}

/** The sentence of an error, without Playwright's stack, colours and prefix. */
export function firstLine({ message = 'unknown' }: TestError = {}): string {
  const plain = stripVTControlCharacters(message);
  return (plain.split('\n', 1)[0] ?? '').replace(/^(\w*Error): /, '');
}
