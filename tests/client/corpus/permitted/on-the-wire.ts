/** Clients that write their requests otherwise than most. */
import type { Parts } from '../client.ts';
import { checkingHealth } from '../health.ts';
import { reactive } from '../parts.ts';
import type { PermittedClient } from '../subject.ts';
import { rawSocket } from './raw-socket.ts';

type Headers = Record<string, string>;

/** Every request with other headers than a correct client sends. */
const sending = (change: (headers: Headers) => Headers): Pick<Parts, 'send'> => ({
  send: ({ connections }, request) => connections.send({ ...request, headers: change(request.headers) }),
});

const naming = (change: (name: string) => string) =>
  sending((headers) =>
    Object.fromEntries(Object.entries(headers).map(([name, value]) => [change(name), value])),
  );

/** As in aCCEPT. */
const swapCase = (name: string) =>
  name.replace(/[a-z]/gi, (letter) => (letter < 'a' ? letter.toLowerCase() : letter.toUpperCase()));

const form = (headers: Headers, contentType: string) => ({ ...headers, 'Content-Type': contentType });

export const permittedOnTheWire: PermittedClient[] = [
  {
    name: 'connection-per-call',
    summary: 'opens a connection for each call',
    strategy: 'reactive',
    behaviour: sending((headers) => ({ ...headers, Connection: 'close' })),
  },
  {
    name: 'http-1.0',
    summary: 'speaks HTTP/1.0, and the connection ends with the answer',
    strategy: 'reactive',
    behaviour: rawSocket,
  },
  {
    name: 'lower-case-headers',
    summary: 'writes the names of headers in lower case',
    strategy: 'reactive',
    behaviour: naming((name) => name.toLowerCase()),
  },
  {
    name: 'odd-case',
    summary: 'writes the names of headers in an odd case, and bearer in lower case',
    strategy: 'reactive',
    behaviour: {
      ...naming(swapCase),
      dataRequest(client, token, turn) {
        const right = reactive.dataRequest(client, token, turn);
        return { ...right, headers: { ...right.headers, Authorization: `bearer ${token.value}` } };
      },
    },
  },
  {
    name: 'accept-list',
    summary: 'accepts other types beside JSON, with less weight',
    strategy: 'reactive',
    behaviour: sending((headers) => ({
      ...headers,
      Accept: 'application/json, text/plain;q=0.5, */*;q=0.1',
    })),
  },
  {
    name: 'accept-with-weight',
    summary: 'accepts JSON with a weight of its own',
    strategy: 'reactive',
    behaviour: sending((headers) => ({ ...headers, Accept: 'application/json;q=0.9' })),
  },
  {
    name: 'usual-headers',
    summary: 'sends the headers that most libraries add',
    strategy: 'reactive',
    behaviour: sending((headers) => ({
      ...headers,
      'User-Agent': 'acme-reader/1.0 (+https://example.org/reader)',
      'Accept-Encoding': 'gzip, deflate, br',
      'Cache-Control': 'no-cache',
    })),
  },
  {
    name: 'form-in-other-order',
    summary: 'writes the fields of its form in another order',
    strategy: 'reactive',
    behaviour: {
      tokenRequest(client) {
        const right = reactive.tokenRequest(client);
        return { ...right, body: String(right.body).split('&').reverse().join('&') };
      },
    },
  },
  {
    name: 'form-charset',
    summary: 'says the charset of its form',
    strategy: 'reactive',
    behaviour: {
      tokenRequest(client) {
        const right = reactive.tokenRequest(client);
        return {
          ...right,
          headers: form(right.headers, 'application/x-www-form-urlencoded;charset=UTF-8'),
        };
      },
    },
  },
  {
    name: 'scope-in-form',
    summary: 'asks for a scope in its form',
    strategy: 'reactive',
    behaviour: {
      tokenRequest(client) {
        const right = reactive.tokenRequest(client);
        return { ...right, body: `scope=read&${right.body}` };
      },
    },
  },
  {
    name: 'health-checks',
    summary: 'asks for the health of the service in between, without a token',
    strategy: 'reactive',
    behaviour: checkingHealth(() => ({})),
  },
];
