/** A client that asks for one of five pages on each turn, so that it shows which request was made again. */
import type { Parts } from './client.ts';
import { reactive } from './parts.ts';

export const pages: Pick<Parts, 'dataRequest'> = {
  dataRequest(client, token, turn) {
    const right = reactive.dataRequest(client, token, turn);
    return { ...right, url: `${right.url}?page=${1 + (turn % 5)}` };
  },
};
