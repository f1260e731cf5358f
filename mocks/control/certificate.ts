/** /__mock/certificate: whether a client keeps the clauses that bind it, as far as the journal shows. */
import { trafficOf } from '../journal/traffic.ts';
import { WHY } from '../state/one-replica.ts';
import type { State } from '../state/state.ts';
import { jsonReply, Refusal } from './answer.ts';
import type { ClientExaminer } from './client-examiner.ts';
import { clientNamed } from './lookup.ts';
import type { ControlRequest, ControlRoute } from './route.ts';

const KNOWN = ['client', 'processes'];

export function certificateRoutes(state: State, examiner: ClientExaminer | undefined): ControlRoute[] {
  function answer({ query }: ControlRequest) {
    if (!examiner) throw new Refusal(404, 'not_found', 'This mock was started without a judge of clients.');
    const unknown = [...query.keys()].find((name) => !KNOWN.includes(name));
    if (unknown !== undefined)
      throw refused(`"${unknown.slice(0, 40)}" is not a parameter. Use ${KNOWN.join(' and ')}.`);
    const id = query.get('client');
    if (id === null) throw refused('name the client, as in ?client=demo.');
    const processes = query.get('processes') ?? '1';
    if (!/^[1-9]\d{0,2}$/.test(processes)) throw refused('processes is a whole number from 1 to 999.');
    const { tokenLifetimesSeconds } = clientNamed(state, id);
    const traffic = trafficOf(state, id);
    return jsonReply(
      examiner.certificate({ id, tokenLifetimesSeconds, processes: Number(processes), traffic }),
    );
  }

  return [
    {
      method: 'GET',
      path: '/__mock/certificate',
      oneReplica: WHY.certificate,
      answer,
    },
  ];
}

const refused = (sentence: string) => new Refusal(400, 'invalid_request', `No certificate: ${sentence}`);
