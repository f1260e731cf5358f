/** What is wrong with the contract by itself, with its types, and with what it says about the ledger. */
import { lintFromString, loadConfig } from '@redocly/openapi-core';
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import openapiTypes, { astToString, COMMENT_HEADER } from 'openapi-typescript';
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
    for (const operation of childrenOf(path).filter(({ value }) => 'responses' in asMembers(value))) {
      if (!isText(asMembers(operation.value).description))
        faults.push(fault(operation.pointer, 'the operation has no description. Give it one.'));
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

// Schemas and examples, judged by Ajv: JSON Schema 2020-12, strict.

/** Where a schema is not valid, or holds a keyword that strict mode does not know: a misspelt one passes all. */
function schemaFaults(contract: Members, ajv: Ajv2020): string[] {
  return [...membersOf(contract)].filter(isSchema).flatMap((schema) => {
    try {
      if (!ajv.validateSchema(asMembers(schema.value))) throw new Error(inWords(ajv.errors));
      compiled(ajv, schema.pointer);
      return [];
    } catch (error) {
      return `openapi.yaml#${schema.pointer}: the schema does not compile: ${(error as Error).message}. Correct it.`;
    }
  });
}

/** Where an example does not fit the schema next to it. */
function exampleFaults(contract: Members, ajv: Ajv2020): string[] {
  return [...membersOf(contract)].flatMap((located) => {
    if (!('schema' in asMembers(located.value))) return [];
    return examplesIn(contract, located).flatMap(({ pointer, value }) => {
      if (value === undefined) return `openapi.yaml#${pointer}: the example has no value. Give it one.`;
      try {
        const fits = compiled(ajv, `${located.pointer}/schema`);
        if (fits(value)) return [];
        return `openapi.yaml#${pointer}: the example does not fit its schema: ${inWords(fits.errors)}. Correct it.`;
      } catch {
        return []; // The schema itself is the fault; schemaFaults reports it.
      }
    });
  });
}

/** The values of the examples of a media type, a header or a parameter. */
function examplesIn(contract: Members, holder: Located): Located[] {
  const children = childrenOf(holder);
  const named = children.filter(({ key }) => key === 'examples').flatMap(childrenOf);
  return [
    ...children.filter(({ key }) => key === 'example'),
    ...named
      .map((example) => followed(contract, example))
      .map(({ pointer, value }) => ({
        pointer: `${pointer}/value`,
        key: 'value',
        value: asMembers(value).value,
      })),
  ];
}

const isSchema = ({ pointer, key }: Located): boolean =>
  key === 'schema' || /^\/components\/schemas\/[^/]+$/.test(pointer);

/** The document is one big schema to Ajv, so that `$ref` finds its way; its own keys are no schema's keywords. */
function ajvWith(contract: Members): Ajv2020 {
  const ajv = new Ajv2020({ strict: true, allErrors: true });
  addFormats.default(ajv);
  const extensions = [...membersOf(contract)].map(({ key }) => key).filter((key) => key.startsWith('x-'));
  ajv.addVocabulary([...new Set([...Object.keys(contract), ...extensions])]);
  ajv.addSchema(contract, 'contract');
  return ajv;
}

const compiled = (ajv: Ajv2020, pointer: string) => ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });

const inWords = (errors: ErrorObject[] | null | undefined): string =>
  (errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`.trim()).join('; ');

/** What Redocly reports of `source`, the text of the document `name`, by the rules in `configFile`; warnings too. */
export async function lintFaults(
  source: string,
  configFile: string,
  name = 'openapi.yaml',
): Promise<string[]> {
  const config = await loadConfig({ configPath: configFile });
  const problems = await lintFromString({ source, absoluteRef: name, config });
  return problems.map(({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? `:${place?.start.line ?? 1}`;
    return `${name}${pointer}: ${message.replaceAll(/\s*\n\s*/g, ' ')} Correct it (Redocly's rule ${ruleId}).`;
  });
}

/** Whether the types are what the contract makes: `source` is the text of openapi.yaml, `types` that of openapi.d.ts. */
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

const fault = (pointer: string, sentence: string): string => `openapi.yaml#${pointer}: ${sentence}`;
const quoted = (value: unknown): string => (value === undefined ? 'nothing' : JSON.stringify(value));
