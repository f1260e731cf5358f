/** The file of `mrs mock --script`: what happens on which call, by client id, as JSON or YAML. */
import { isMap, isNode, LineCounter, parseDocument } from 'yaml';
import { demoClient, type MockClient } from '../../mocks/clients.ts';
import { nearestInWords } from '../../mocks/contract/mock-error.ts';
import type { Step } from '../../mocks/index.ts';
import { scriptProblem } from '../../mocks/script.ts';
import { readBounded, TEXT_BYTES } from '../../tests/support/files.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

const EXAMPLE = 'It holds the steps by client id: {"demo": [{"nth": 2, "do": {"expire": "token"}}]}.';

/** The clients with the scripts of the file. Throws UsageError, with the line, where the file is invalid. */
export function withScripts(file: string, clients: readonly MockClient[] = [demoClient]): MockClient[] {
  const lines = new LineCounter();
  const text = readBounded(file, TEXT_BYTES, `The file ${file} of --script (MRS_SCRIPT)`).toString();
  const document = parseDocument(text, { lineCounter: lines });
  const refuse = (offset: number, sentence: string): never => {
    throw new UsageError(`${file}, line ${lines.linePos(offset).line}: ${sentence}`);
  };
  const [fault] = document.errors;
  if (fault) refuse(fault.pos[0], `This is neither JSON nor YAML. ${EXAMPLE}`);
  const { contents } = document;
  if (!isMap(contents)) return refuse(0, `This is no object. ${EXAMPLE}`);
  const scripts: Record<string, Step[]> = document.toJS();
  const ids = clients.map(({ id }) => id);
  for (const { key } of contents.items) {
    const id = String(key);
    const at = isNode(key) ? key.range?.[0] : undefined;
    if (!ids.includes(id))
      refuse(at ?? 0, `There is no client "${id}". ${nearestInWords(id, ids)}Add it with --client.`);
    const problem = scriptProblem(scripts[id] as Step[]);
    if (problem === undefined) continue;
    const step: unknown = document.getIn([id, Number(/^Step (\d+)/.exec(problem)?.[1] ?? 0) - 1], true);
    const where = isNode(step) ? step.range?.[0] : at;
    refuse(where ?? 0, `The script of "${id}" is invalid. ${problem}.`);
  }
  return clients.map((one) => ({ ...one, script: scripts[one.id] ?? [] }));
}
