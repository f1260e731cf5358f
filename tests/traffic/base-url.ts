/** Which service the traffic is about: its base URL, given or found in the traffic. */
import { UsageError } from '../support/usage-error.ts';
import { answerHeader, isServed, REDIRECTS, type RecordedExchange } from './exchange.ts';

type Addressed = Pick<RecordedExchange, 'method' | 'origin' | 'path'>;
type Answered = Pick<RecordedExchange, 'method' | 'origin' | 'path' | 'answer'>;

const TOKEN = '/token/';
const DATA = '/ods_data/';
/** At most this many services are remembered. */
const MOST_SERVICES = 1000;

/** Collects base URLs: those below which a token was asked for, and those below which data was read. */
export function createBaseUrlFinder() {
  const asked = new Set<string>();
  const read = new Set<string>();
  /** Those of `asked` that answered with success. */
  const served = new Set<string>();
  const note = (bases: Set<string>, base: string) => void (bases.size < MOST_SERVICES && bases.add(base));
  /** The service that answered the token requests, where nothing went to an operation below this base URL. */
  const otherThan = (baseUrl: string): string | undefined =>
    asked.has(baseUrl) || read.has(baseUrl) ? undefined : [...served][0];

  return {
    note(exchange: Answered): void {
      if (isUpgraded(exchange)) return;
      const { method, origin, path, answer } = exchange;
      if (method === 'POST' && path.endsWith(TOKEN)) {
        const base = origin + path.slice(0, -TOKEN.length);
        note(asked, base);
        if (answer && isServed(answer)) note(served, base);
      }
      if (path.endsWith(DATA)) note(read, origin + path.slice(0, -DATA.length));
    },
    otherThan,
    /** The base URL, given or found. Throws UsageError where the file shows none, several, or another than was given. */
    find(file: string, given?: string): string {
      const other = given === undefined ? undefined : otherThan(given);
      if (given !== undefined && other === undefined) return given;
      if (given !== undefined && other !== undefined)
        throw new UsageError(wrongBaseUrl(`The token requests in ${file}`, '--base-url', given, other));
      const both = [...asked].filter((base) => read.has(base));
      const candidates = both.length > 0 ? both : [...asked];
      const [only, ...others] = candidates;
      if (only !== undefined && others.length === 0) return only;
      const several = candidates.slice(0, 10).map(withoutParameters).join(', ');
      throw new UsageError(
        only === undefined
          ? `${file} has no POST to an address that ends in /token/, so it does not show which service to judge. Name it with --base-url.`
          : `${file} has token requests to several services: ${several}. Name one with --base-url.`,
      );
    },
  };
}

/** Whether a request by plain http was redirected to https: the service is at the address that it leads to. */
const isUpgraded = ({ origin, answer }: Answered): boolean =>
  origin.startsWith('http:') &&
  answer !== undefined &&
  REDIRECTS.includes(answer.status) &&
  /^https:/i.test(answerHeader(answer, 'location') ?? '');

/** An address of the file for a message: parameters in a path may hold a session (RFC 3986, 3.3). */
const withoutParameters = (address: string): string => address.replace(/;[^/]*/g, ';…');

/** That an option names another service than the one that `requests` went to, as a sentence. */
export const wrongBaseUrl = (requests: string, option: string, given: string, other: string): string =>
  `${requests} go to ${withoutParameters(other)}${TOKEN}, and ${option} is ${given}: give ${option} ${withoutParameters(other)}.`;

/** `text` as a base URL, without a slash at its end. Throws UsageError; a password in it is not repeated. */
export function readBaseUrl(text: string, option: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${option} is not a URL that begins with http:// or https://. Correct it.`);
  if (url.username || url.password || url.search || url.hash)
    throw new UsageError(`${option} has a user name, a query or a fragment. Leave that out.`);
  return url.origin + url.pathname.replace(/(?<!\/)\/+$/, '');
}

/** The path of an exchange below the base URL; undefined where it went elsewhere. */
export function pathBelow(baseUrl: string, { origin, path }: Addressed): string | undefined {
  const address = origin + path;
  return address.startsWith(`${baseUrl}/`) ? address.slice(baseUrl.length) : undefined;
}
