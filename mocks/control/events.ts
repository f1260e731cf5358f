/** /__mock/events: exchanges as they end, as server-sent events (HTML standard, section 9.2). */
import type { ServerResponse } from 'node:http';
import { entryOf } from '../journal/journal-entry.ts';
import type { Exchange } from '../state/journal.ts';
import { WHY } from '../state/one-replica.ts';
import type { State } from '../state/state.ts';
import { Refusal } from './answer.ts';
import type { ControlRequest, ControlRoute } from './route.ts';

const MOST_LISTENERS = 100;
/**
 * A listener that leaves more bytes unread is disconnected: a hundred that do not read must not fill the memory of the
 * mock. It loses nothing, since it may reconnect with its Last-Event-ID, and gets what it missed as fast as it reads.
 */
const MOST_WAITING = 128 * 1024;
const BEAT_MS = 15_000;

export function eventRoutes({ journal }: State): ControlRoute[] {
  let listeners = 0;

  function stream({ request, response, query }: ControlRequest): undefined {
    if (listeners >= MOST_LISTENERS)
      throw new Refusal(
        503,
        'temporarily_unavailable',
        `There are already ${MOST_LISTENERS} listeners. Close one of them.`,
      );
    const client = query.get('client');
    const last = request.headers['last-event-id'] ?? '';
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': the journal of the mock\n\n');
    const fits = (exchange: Exchange) => client === null || exchange.client === client;
    const send = (exchange: Exchange) => void (fits(exchange) && write(response, eventOf(exchange)));
    const beat = setInterval(() => write(response, ': still here\n\n'), BEAT_MS);
    let stop = () => {};
    listeners++;
    // The response may never close: it queues after earlier ones.
    request.socket.once('close', () => {
      stop();
      clearInterval(beat);
      listeners--;
    });
    const since = /^\d{1,15}$/.test(`${last}`) ? Number(last) : journal.next() - 1;
    const live = () => {
      stop = journal.listen(send);
    };
    void replay(response, since, fits, live);
  }

  /** Sends the missed exchanges as fast as they are read; calls `live` when nothing is missing. */
  async function replay(
    response: ServerResponse,
    since: number,
    fits: (one: Exchange) => boolean,
    live: () => void,
  ): Promise<void> {
    const { socket } = response.req;
    let last = since;
    const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    for (
      let missed = journal.list({ since: last });
      missed.length > 0;
      missed = journal.list({ since: last })
    )
      for (const exchange of missed) {
        last = exchange.seq;
        if (socket.destroyed) return;
        if (!fits(exchange) || response.write(eventOf(exchange))) continue;
        await Promise.race([new Promise((resolve) => response.once('drain', resolve)), gone]);
      }
    if (!socket.destroyed) live();
  }

  return [
    {
      method: 'GET',
      path: '/__mock/events',
      oneReplica: WHY.calls,
      answer: stream,
    },
  ];
}

const eventOf = (exchange: Exchange): string =>
  `event: exchange\nid: ${exchange.seq}\ndata: ${JSON.stringify(entryOf(exchange))}\n\n`;

function write(response: ServerResponse, text: string): void {
  if (response.destroyed) return;
  if (response.writableLength > MOST_WAITING) response.destroy();
  else response.write(text);
}
