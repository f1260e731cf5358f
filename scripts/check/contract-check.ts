/** What is wrong with the contract by itself, and with what it says about the ledger. */
import { isBinding, type Requirement } from '../../tests/support/requirements.ts';
import {
  asMembers,
  childrenOf,
  followed,
  isText,
  type Located,
  type Members,
  membersOf,
} from './json-members.ts';
import { ledgerFaults } from './ledger-check.ts';
import { ajvWith, exampleFaults, schemaFaults } from './schema-check.ts';

const METHODS = new Set(['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace']);

/** Every fault of openapi.yaml and tests/requirements.yaml, given as parsed, as a sentence with its place. */
export function contractFaults(document: unknown, ledger: unknown): string[] {
  const contract = asMembers(document);
  const rows = Array.isArray(ledger) ? (ledger as Requirement[]) : [];
  const ajv = ajvWith(contract); // Each compilation costs more than all other checks.
  const faults = [
    ...ledgerFaults(ledger),
    ...schemaFaults(contract, ajv),
    ...exampleFaults(contract, ajv),
    ...operationFaults(contract),
    ...referenceFaults(contract, rows),
    ...openPointFaults(contract, rows),
  ];
  return [...new Set(faults)]; // Several operations may refer to one response.
}

function operationFaults(contract: Members): string[] {
  const faults: string[] = [];
  const paths = childrenOf({ pointer: '/paths', key: 'paths', value: contract.paths });
  if (paths.length === 0) faults.push(fault('/paths', 'there is no path. Add the operations.'));
  for (const path of paths) {
    if (!path.key.endsWith('/'))
      faults.push(
        fault(
          path.pointer,
          `the path "${path.key}" does not end with a slash. The specification's do; add it.`,
        ),
      );
    for (const operation of childrenOf(path).filter(({ key }) => METHODS.has(key))) {
      for (const field of ['operationId', 'summary', 'description'])
        if (!isText(asMembers(operation.value)[field]))
          faults.push(fault(operation.pointer, `the operation has no ${field}. Give it one.`));
      faults.push(...answerFaults(contract, operation));
    }
  }
  return faults;
}

/** The mock has nothing to answer with where an example is missing. */
function answerFaults(contract: Members, operation: Located): string[] {
  const responses = childrenOf(operation).filter(({ key }) => key === 'responses');
  return responses
    .flatMap(childrenOf)
    .filter(({ key }) => /^[24]/.test(key))
    .map((response) => followed(contract, response))
    .filter(({ value }) => {
      const contents = Object.values(asMembers(asMembers(value).content));
      return !contents.some((content) => Object.keys(asMembers(asMembers(content).examples)).length > 0);
    })
    .map(({ pointer }) => fault(pointer, 'the answer has no named example. Add one to its content.'));
}

function referenceFaults(contract: Members, rows: Requirement[]): string[] {
  const faults: string[] = [];
  const referred = new Set<string>();
  const known = (pointer: string, id: unknown): Requirement | undefined => {
    const row = rows.find((one) => one?.id === id);
    if (!row)
      faults.push(
        fault(
          pointer,
          `${quoted(id)} is not an id in tests/requirements.yaml. Correct it, or add the statement there.`,
        ),
      );
    return row;
  };
  for (const located of membersOf(contract)) {
    const { pointer, key, value } = located;
    if (key === 'x-clauses') {
      if (!Array.isArray(value) || value.length === 0)
        faults.push(fault(pointer, 'this is not a list of ids. Name at least one statement of the ledger.'));
      for (const id of childrenOf(located)) {
        known(id.pointer, id.value);
        referred.add(String(id.value));
      }
    } else if (key === 'x-assumption') {
      const assumption = asMembers(value);
      for (const field of ['answers', 'choice', 'reason'])
        if (!isText(assumption[field]))
          faults.push(fault(pointer, `the assumption has no ${field}. Write it as a text.`));
      if (!isText(assumption.answers)) continue;
      const row = known(`${pointer}/answers`, assumption.answers);
      if (row && row.kind !== 'open' && row.kind !== 'interpretation')
        faults.push(
          fault(
            `${pointer}/answers`,
            `${row.id} is of the kind "${row.kind}", so it leaves nothing to assume. Name an open statement or ` +
              'an interpretation.',
          ),
        );
    }
  }
  const ambiguities = { pointer: '/x-ambiguities', key: 'x-ambiguities', value: contract['x-ambiguities'] };
  for (const clauses of childrenOf(ambiguities)
    .flatMap(childrenOf)
    .filter(({ key }) => key === 'clauses'))
    for (const id of childrenOf(clauses)) known(id.pointer, id.value);

  for (const [index, row] of rows.entries())
    if (row && isBinding(row) && !referred.has(row.id))
      faults.push(
        `tests/requirements.yaml#/${index}: ${row.id} binds a deployment, but no x-clauses in openapi.yaml names it. ` +
          'Add it next to what it describes.',
      );
  return faults;
}

function openPointFaults(contract: Members, rows: Requirement[]): string[] {
  const faults: string[] = [];
  const points = childrenOf({
    pointer: '/x-open-points',
    key: 'x-open-points',
    value: contract['x-open-points'],
  });
  for (const { pointer, value } of points) {
    const { id, summary } = asMembers(value);
    if (!rows.some((row) => row?.id === id))
      faults.push(
        fault(`${pointer}/id`, `${quoted(id)} is not an id in tests/requirements.yaml. Correct it.`),
      );
    if (!isText(summary)) faults.push(fault(pointer, 'the open point has no summary. Give it one.'));
  }
  const listed = points.map(({ value }) => asMembers(value).id);
  const open = rows.filter((row) => row?.kind === 'open').map(({ id }) => id);
  const length = Math.max(listed.length, open.length);
  const first = Array.from({ length }, (_, index) => index).find((index) => listed[index] !== open[index]);
  if (first !== undefined)
    faults.push(
      fault(
        `/x-open-points/${first}`,
        `${quoted(listed[first])} is where the ledger has the open statement ${quoted(open[first])}. List the ` +
          "ledger's open statements, all of them and in its order.",
      ),
    );
  return faults;
}

const fault = (pointer: string, sentence: string): string => `openapi.yaml#${pointer}: ${sentence}`;
const quoted = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
