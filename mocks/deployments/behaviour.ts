/** What a deployment does differently from the mock: `when → do`. */
import type { Client } from '../clients.ts';
import { BEARER } from '../condition.ts';
import { type Answer, answers, type OperationId } from '../contract/answers.ts';
import type { Operation } from '../contract/document.ts';
import { isDue, type Progress, type Schedule, waitMs } from '../script.ts';
import type { Tokens } from '../tokens.ts';
import type { Override } from './deployment.ts';
import { body, type Edit, edited, give, headers, type Moment } from './edits.ts';
import { servedRecords } from './served.ts';

export type AnswerName = keyof typeof answers;

const names = new Map<Answer, AnswerName>(
  Object.entries(answers).map(([name, answer]) => [answer, name as AnswerName]),
);

/** A request for data without a valid token. */
export const REFUSED: readonly AnswerName[] = ['missingToken', 'malformedToken', 'unknownToken'];
/** A form that must obtain no token. */
export const BAD_FORM: readonly AnswerName[] = ['invalidRequest', 'unsupportedGrantType', 'wrongCredentials'];

/** What is known of a request whose reply is edited. */
interface Known extends Pick<Moment, 'request' | 'client'> {
  /** How often this answer was required, this time included. */
  count(name: AnswerName): number;
  /** The number of the valid token that it carries, and how often that has opened the data, both from 1; otherwise 0. */
  token: number;
  read: number;
}

/** Selects requests. Without a member: all. Numbers count the requests that the members before them select, as in a script. */
export interface When extends Schedule {
  /** By the answer that the contract requires. */
  to?: AnswerName | readonly AnswerName[];
  at?: OperationId;
  /** By what else is known of it. */
  if?: (known: Known) => boolean;
}

type Which<Of> = AnswerName | readonly AnswerName[] | Of;

/** The number of a request among those that are selected; undefined for another one. */
function createSelector(given: Which<When>, now: () => number) {
  const when: When =
    typeof given === 'string' || Array.isArray(given)
      ? { to: given as AnswerName | AnswerName[] }
      : (given as When);
  const counts = new Map<AnswerName, number>();
  const progress: Progress = { times: 0 };
  let nth = 0;
  return (answer: Answer | undefined, known: Omit<Known, 'count'> | undefined): number | undefined => {
    const name = answer && names.get(answer);
    if (name) counts.set(name, (counts.get(name) ?? 0) + 1);
    if (when.to && !(name && [when.to].flat().includes(name))) return undefined;
    if (when.at && answer?.operation !== when.at) return undefined;
    if (known && when.if?.({ ...known, count: (of) => counts.get(of) ?? 0 }) === false) return undefined;
    if (!isDue(when, ++nth, progress, now())) return undefined;
    progress.times++;
    progress.since ??= now();
    return nth;
  };
}

/** Edits the replies that `given` selects. */
export function on(given: Which<When>, ...edits: Edit[]): Override {
  return ({ state: { clock, clients, tokens: issued }, finish }) => {
    const select = createSelector(given, clock.now);
    const reads = new Map<number, number>();
    return {
      finish(reply, context) {
        const own = finish(reply, context);
        const { expected, request } = context;
        const bearer = expected === answers.served && BEARER.exec(request.headers.authorization ?? '')?.[1];
        const token = (bearer && issued.find(bearer).issued?.number) || 0;
        const read = token && (reads.get(token) ?? 0) + 1;
        reads.set(token, read);
        const [client] = clients.list();
        const nth = select(expected, { request, client, token, read });
        return nth === undefined ? own : edited(own, edits, { nth, request, client, nowMs: clock.now() });
      },
    };
  };
}

/** Gives `other` where the contract requires what `given` selects. */
export const instead =
  (given: Which<Omit<When, 'if'>>, other: AnswerName): Override =>
  ({ selectAnswer, state }) => {
    const select = createSelector(given, state.clock.now);
    return {
      selectAnswer(call) {
        const own = selectAnswer(call);
        return select(own, undefined) === undefined ? own : answers[other];
      },
    };
  };

/** Answers with 429 what exceeds this number of requests within this number of seconds of its clock. */
export const limit =
  (calls: number, within: number, when: Pick<When, 'at'> = {}): Override =>
  (parts) => {
    const { now } = parts.state.clock;
    const through: number[] = [];
    let leftMs = 0;
    const isTooMuch = () => {
      leftMs = waitMs({ calls, within }, through, now());
      return leftMs > 0;
    };
    const retryAfter: Edit = (reply) => headers({ 'retry-after': String(Math.ceil(leftMs / 1000)) })(reply);
    return on({ ...when, if: isTooMuch }, 429, retryAfter, body('{"error":"slow_down"}'))(parts);
  };

/** From this request on, answers everything with 503 or as `edit` has it, for some seconds of its clock or forever. */
export const outage = (when: Pick<When, 'from' | 'ttl'>, edit?: Edit): Override =>
  on(when, edit ?? [503, body('{"error":"maintenance"}')]);

/** Changes the form of a token request before it is validated; `client` is the mock's first client. */
export const form =
  (change: (form: URLSearchParams, client: Client, tokens: Tokens) => void): Override =>
  ({ state, editForm, tokens }) => ({
    editForm(text) {
      const fields = new URLSearchParams(editForm(text));
      const [client] = state.clients.list();
      if (client) change(fields, client, tokens);
      return fields.toString();
    },
  });

export type Field = 'grant_type' | 'client_id' | 'client_secret';
export const GRANT = 'client_credentials';
const rightFor = ({ id, secret }: Client) => ({ grant_type: GRANT, client_id: id, client_secret: secret });

/** Takes a value of the field for the right one if it is near to it. */
export const near = (
  field: Field,
  isNear: (value: string, right: string) => boolean = () => true,
): Override =>
  form((fields, client) => {
    const value = fields.get(field);
    const right = rightFor(client)[field];
    if (value !== null && isNear(value, right)) fields.set(field, right);
  });

/** Needs no such field. */
export const absent = (field: Field): Override =>
  form((fields, client) => fields.has(field) || fields.set(field, rightFor(client)[field]));

/** Gives an operation another path or method. */
export const move =
  (id: OperationId, to: Partial<Pick<Operation, 'path' | 'method'>>): Override =>
  ({ contract }) => ({
    contract: {
      ...contract,
      operations: contract.operations.map((one) => (one.id === id ? { ...one, ...to } : one)),
    },
  });

/** Serves this instead of the contract's example, which has no records: giving it away would give nothing away. */
export const served = (value: unknown): Override => on('served', give(value));
export const serveRecords: Override = served({ ods_data: servedRecords });
