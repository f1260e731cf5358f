/** /__mock/events: exchanges as they end, as server-sent events (HTML standard, section 9.2). */
import type { ServerResponse } from 'node:http';
import { entryOf } from '../entry.ts';
import type { Exchange } from '../journal.ts';
import type { State } from '../state.ts';
import { Refusal } from './answer.ts';
import type { Asked, Route } from './control.ts';

const MOST_LISTENERS = 100;
/** A listener that has not taken more than so many bytes is cut off; it may come back with its Last-Event-ID. */
const MOST_WAITING = 4 * 1024 * 1024;
const BEAT_MS = 15_000;

export function eventRoutes({ journal }: State): Route[] {
  let listeners = 0;

  function stream({ request, response, query }: Asked): undefined {
    if (listeners >= MOST_LISTENERS)
      throw new Refusal(
        503,
        'temporarily_unavailable',
        `${MOST_LISTENERS} listen already. Close one of them.`,
      );
    const client = query.get('client');
    const last = request.headers['last-event-id'] ?? '';
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.write(': the journal of the mock\n\n');
    const tell = (exchange: Exchange) => {
      if (client === null || exchange.client === client) write(response, eventOf(exchange));
    };
    if (/^\d{1,15}$/.test(`${last}`))
      for (const missed of journal.list({ since: Number(last) })) tell(missed);
    const stop = journal.listen(tell);
    const beat = setInterval(() => write(response, ': still here\n\n'), BEAT_MS);
    listeners++;
    response.once('close', () => {
      stop();
      clearInterval(beat);
      listeners--;
    });
  }

  return [{ method: 'GET', path: '/__mock/events', answer: stream }];
}

const eventOf = (exchange: Exchange): string =>
  `event: exchange\nid: ${exchange.seq}\ndata: ${JSON.stringify(entryOf(exchange))}\n\n`;

function write(response: ServerResponse, text: string): void {
  if (response.writableLength > MOST_WAITING) response.destroy();
  else response.write(text);
}
