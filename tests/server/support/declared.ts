/** What a profile declares about the open points: read out of the contract that it was merged into. */
import { append, pointerSegments } from '@hyperjump/json-pointer';
import { ledger, type Requirement } from '../../support/requirements.ts';

/** One declaration: an `x-declared` of the merged contract. */
export interface Declaration {
  /** JSON pointer to what it describes. */
  pointer: string;
  /** Id of the open point. */
  answers: string;
  statement: string;
  source?: string;
}

/** The answer that the contract has for a condition. */
export interface ExpectedAnswer {
  operation: string;
  when: string;
  status: number;
  /** Absent where there is no body. */
  mediaType?: string;
  /** Of the body: pointers to the schemas of this answer (`x-asks`), or else of all such bodies. */
  schemas: string[];
  /** Whether the contract says that there is no body. */
  empty: boolean;
  /** Whether it was drafted from what was seen. */
  drafted: boolean;
  /** Required headers, with their schemas. */
  headers: { name: string; schema: object }[];
  /** Pointers at which a declaration is about this answer. */
  pointers: string[];
}

export interface Operation {
  /** There may be several health checks: their ids begin with checkHealth. */
  id: string;
  method: string;
  path: string;
  pointer: string;
}

export interface Profile {
  name: string;
  title: string;
  /** Ids of the statements that the deployment does not offer. */
  notOffered: string[];
  declarations: Declaration[];
  answers: ExpectedAnswer[];
  operations: Operation[];
  /** In seconds, where it is declared. */
  tokenLifetimeSeconds?: number;
  /** The merged contract. */
  document: Node;
}

type Node = Record<string, unknown>;

const aboutTokens = ledger.filter(({ about }) => about === 'tokens').map(({ id }) => id);

/** Whether a deployment has tokens: a profile can declare that it offers nothing of what is about them. */
export const offersTokens = (profile?: Pick<Profile, 'notOffered'>): boolean =>
  !profile || !aboutTokens.every((id) => profile.notOffered.includes(id));

/** The profile that was merged into a contract; undefined where nothing is declared. */
export function profileIn(document: Node): Profile | undefined {
  const own = document['x-profile'] as Pick<Profile, 'name' | 'title' | 'notOffered'> | undefined;
  if (!own) return undefined;
  const operations = operationsIn(document);
  const declarations = [...declarationsIn(document)];
  const lifetime = declarations.find(({ answers }) => answers === 'MRS-5e');
  const scheme = lifetime && (at(document, lifetime.pointer) as { 'x-token-lifetime-seconds'?: number });
  const seconds = scheme?.['x-token-lifetime-seconds'];
  return {
    name: own.name,
    title: own.title,
    notOffered: own.notOffered,
    declarations,
    operations,
    document,
    answers: answersIn(document),
    ...(seconds !== undefined && { tokenLifetimeSeconds: seconds }),
  };
}

/** Every answer of a contract that says when it is expected. */
export const answersIn = (document: Node): ExpectedAnswer[] =>
  operationsIn(document).flatMap((operation) => answersOf(document, operation));

/** The rows that a profile adds to the ledger: one for each open point that it answers. */
export function declaredRequirements({ name, declarations }: Profile): Requirement[] {
  const points = [...new Set(declarations.map(({ answers }) => answers))];
  return points.map((point) => {
    const own = declarations.filter(({ answers }) => answers === point);
    const sources = [...new Set(own.flatMap(({ source }) => source ?? []))];
    return {
      id: `${point}@${name}`,
      clause: /[\d.]+/.exec(point)?.[0].replace(/\.$/, '') ?? '',
      kind: 'declared',
      statement: own.map(({ statement }) => statement).join(' '),
      ...(sources.length > 0 && { source: sources.join(' ') }),
    };
  });
}

/** Of an operation, by its id: the path, as the contract has it. */
export const pathOf = (profile: Profile, id: string): string | undefined =>
  profile.operations.find((operation) => operation.id === id)?.path;

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

export function operationsIn(document: Node): Operation[] {
  return Object.entries(nodeOf(document.paths)).flatMap(([path, item]) =>
    Object.entries(nodeOf(item))
      .filter(([method]) => METHODS.includes(method))
      .map(([method, operation]) => {
        const { operationId } = nodeOf(operation);
        return {
          id: String(operationId),
          method: method.toUpperCase(),
          path,
          pointer: append(method, append(path, '/paths')),
        };
      }),
  );
}

function answersOf(document: Node, { id, pointer }: Operation): ExpectedAnswer[] {
  return Object.entries(nodeOf(at(document, `${pointer}/responses`))).flatMap(([status, given]) => {
    const $ref = nodeOf(given).$ref;
    const place = typeof $ref === 'string' ? $ref.slice(1) : `${pointer}/responses/${status}`;
    const response = nodeOf(at(document, place));
    const required = Object.entries(nodeOf(response.headers)).filter(
      ([, header]) => nodeOf(header).required === true,
    );

    /** The answer that is described at `own`, if it says when it is expected; a declaration may be at any of `around`. */
    const answerAt = (
      own: string,
      around: string[],
      body: { mediaType?: string; schema?: string } = {},
    ): ExpectedAnswer[] => {
      const { 'x-response-when': when, 'x-asks': asks, 'x-evidence': evidence } = nodeOf(at(document, own));
      if (when === undefined) return [];
      const { headers, schema } = nodeOf(asks);
      const { mediaType, schema: common } = body;
      return [
        {
          operation: id,
          status: Number(status),
          when: String(when),
          ...(mediaType !== undefined && { mediaType }),
          headers: [...required, ...Object.entries(nodeOf(headers))].map(([name, header]) => ({
            name: name.toLowerCase(),
            schema: nodeOf(nodeOf(header).schema),
          })),
          schemas: schema ? [`${own}/x-asks/schema`] : common === undefined ? [] : [common],
          // A body of no known type is drafted without one.
          empty: nodeOf(asks).body === false || (mediaType === undefined && evidence === undefined),
          drafted: evidence !== undefined,
          pointers: [place, ...around, own],
        },
      ];
    };

    return [
      ...answerAt(place, []),
      ...Object.keys(nodeOf(response['x-without-body'])).flatMap((name) =>
        answerAt(append(name, `${place}/x-without-body`), []),
      ),
      ...Object.entries(nodeOf(response.content)).flatMap(([mediaType, media]) => {
        const content = append(mediaType, `${place}/content`);
        const schema = nodeOf(media).schema === undefined ? {} : { schema: `${content}/schema` };
        return Object.keys(nodeOf(nodeOf(media).examples)).flatMap((name) =>
          answerAt(append(name, `${content}/examples`), [content, `${content}/schema`], {
            mediaType,
            ...schema,
          }),
        );
      }),
    ];
  });
}

function* declarationsIn(node: unknown, pointer = ''): Generator<Declaration> {
  if (typeof node !== 'object' || node === null) return;
  const declared = (node as Node)['x-declared'] as Omit<Declaration, 'pointer'> | undefined;
  if (declared) yield { pointer, ...declared };
  for (const [key, value] of Object.entries(node))
    if (key !== 'value' && key !== 'x-declared') yield* declarationsIn(value, append(key, pointer));
}

/** What a JSON pointer leads to (RFC 6901); undefined for an anchor, which is none. */
export const at = (document: unknown, pointer: string): unknown =>
  /^(\/|$)/.test(pointer)
    ? [...pointerSegments(pointer)].reduce((node, key) => nodeOf(node)[key], document)
    : undefined;

const nodeOf = (value: unknown): Node => (typeof value === 'object' && value !== null ? (value as Node) : {});
