/** Reads a HAR file into what the judges need of it: bodies are read, described and dropped, one entry at a time. */
import { createAnswerRecorder, type Recorded } from '../../tests/server/recorded.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { createBaseUrlFinder, pathBelow } from '../../tests/traffic/base-url.ts';
import { createKeeper, kindOf, possibleKindOf, type RecordedExchange } from '../../tests/traffic/exchange.ts';
import { answerBodyIn, exchangeOf, readHar } from '../../tests/traffic/har.ts';
import { disorderOf, inOrder } from '../../tests/traffic/times.ts';

export type Recording = ReturnType<typeof readRecording>;

/** More exchanges of one service are not judged. */
const MOST_EXCHANGES = 100_000;
/** Nor are those after the texts of the ones before have this many characters, in addresses, headers and forms. */
const MOST_CHARACTERS = 64 * 1024 * 1024;
/** Of exchanges that are neither token requests nor reads, at most this many are kept until it is known whose they are. */
const MOST_OTHERS = 20_000;

/** Keeps what is judged of exchanges as they come, within the limits, and counts the rest. `name` is that of the file. */
export function createCollection(name = 'the recording') {
  const recorder = createAnswerRecorder(name);
  const keeper = createKeeper();
  const kept: Recorded[] = [];
  const left = { ignored: 0, excess: 0, unread: { count: 0, first: '' } };
  let others = 0;
  return {
    recorder,
    kept: kept as readonly Recorded[],
    left,
    finder: createBaseUrlFinder(),
    /** `read` is called only if the exchange is kept. */
    add(exchange: RecordedExchange, read: () => Recorded): void {
      const isFull = kept.length >= MOST_EXCHANGES || keeper.characters >= MOST_CHARACTERS;
      if (exchange.method === 'OPTIONS') left.ignored++;
      else if (isFull || (exchange.kind === 'other' && others++ >= MOST_OTHERS)) left.excess++;
      else kept.push(keeper.keep(read()));
    },
  };
}

/** Programs that write an Authorization header, or a name in its place, wherever there was one. */
const WRITE_ALL_HEADERS = ['mrs mock', 'mrs proxy'];

/** Throws UsageError for a file that cannot be read, and where it does not show which service is meant. */
export function readRecording(bytes: Buffer, name: string, givenBaseUrl: string | undefined) {
  const { add, finder, kept, left, recorder } = createCollection(name);
  const { creator, entries } = readHar(bytes, name, (entry, number) => {
    const found = exchangeOf(entry, number);
    if (typeof found === 'string') {
      left.unread.count++;
      left.unread.first ||= found;
      return;
    }
    if (found && found.method !== 'OPTIONS') finder.note(found);
    if (!found || (givenBaseUrl !== undefined && pathBelow(givenBaseUrl, found) === undefined)) {
      left.ignored++;
      return;
    }
    const exchange = { ...found, kind: possibleKindOf(found) };
    add(exchange, () => recorder.record(exchange, answerBodyIn(entry, exchange)));
  });
  const { count, first } = left.unread;
  const file = count === 0 ? name : `${name} (${count} of its entries cannot be read: ${first})`;
  const baseUrl = finder.find(file, givenBaseUrl);
  const exchanges = kept.flatMap((one): Recorded[] => {
    const path = pathBelow(baseUrl, one);
    return path === undefined ? [] : [{ ...one, path, kind: kindOf({ ...one, path }) }];
  });
  if (exchanges.length === 0)
    throw new UsageError(
      `${file} has no request to ${baseUrl}. Correct --base-url, or record the traffic again.`,
    );
  const hasAllHeaders = WRITE_ALL_HEADERS.includes(creator);
  const disorder = hasAllHeaders ? undefined : disorderOf(exchanges);
  if (disorder !== undefined)
    throw new UsageError(
      `${name} does not show the order of the requests to ${baseUrl}: ${disorder}. Record with a program that writes startedDateTime in milliseconds, such as 2030-01-31T12:00:00.250Z.`,
    );
  left.ignored += kept.length - exchanges.length;
  return {
    /** The program that wrote it, and the number of its entries. */
    ...{ file: name, creator, entries },
    /** Those of the service, in the order of time, each with its path below the base URL. */
    ...{ baseUrl, exchanges: inOrder(exchanges) },
    /** Numbers of entries that no service of this base URL answered; beyond the limits; unreadable. */
    left,
    /** What mrs recorded has the times and all headers of its requests; a file of others may have been written without some. */
    hasAllHeaders,
    recorder,
  };
}
