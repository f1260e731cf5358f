/** /__mock/certificate: whether a client keeps the clauses that bind it, and how far its examination is. */
import { certificateOfClient } from '../../tests/client/of-client.ts';
import type { State } from '../state/state.ts';
import { Refusal, told } from './answer.ts';
import { clientNamed } from './clients.ts';
import type { Asked, Route } from './control.ts';

const KNOWN = ['client', 'processes'];

export function certificateRoutes(state: State): Route[] {
  function tell({ query }: Asked) {
    const stranger = [...query.keys()].find((name) => !KNOWN.includes(name));
    if (stranger !== undefined)
      throw refused(`"${stranger.slice(0, 40)}" is nothing to ask for. There are ${KNOWN.join(' and ')}.`);
    const id = query.get('client');
    if (id === null) throw refused('say whose, as in ?client=demo.');
    const processes = query.get('processes') ?? '1';
    if (!/^[1-9]\d{0,2}$/.test(processes)) throw refused('processes is a whole number from 1 to 999.');
    const client = clientNamed(state, id);
    const { examination } = state;
    return told({
      ...certificateOfClient(state, client, Number(processes)),
      ...(examination?.client === id && { examination: examination.progress() }),
    });
  }

  return [{ method: 'GET', path: '/__mock/certificate', answer: tell }];
}

const refused = (sentence: string) =>
  new Refusal(400, 'invalid_request', `There is no certificate: ${sentence}`);
