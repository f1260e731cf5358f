/** Deployments that do something odd where no clause binds them: other methods, other paths, CORS. */
import type { IncomingMessage } from 'node:http';
import type { Variant } from '../deployment.ts';
import { mapReply } from '../overrides.ts';
import { body, type Change, empty, headers, loginPage, sequence, status } from '../reply-edits.ts';

type Which = (request: IncomingMessage) => boolean;

const byHead: Which = ({ method, url }) => method === 'HEAD' && isData(url);
const byOptions: Which = ({ method, url }) => method === 'OPTIONS' && isData(url);
const withoutSlash: Which = ({ url = '' }) => /\/ods_data$/.test(url);
const anyOpen: Which = (request) => byHead(request) || byOptions(request) || withoutSlash(request);
const isData = (url = '') => /\/ods_data\/$/.test(url);

const odd = (name: string, summary: string, which: Which, change: Change): Variant => ({
  name: `open-${name}`,
  summary,
  override: mapReply((reply, { request }) => (which(request) ? change(reply) : reply)),
});

const broken = (
  name: string,
  summary: string,
  which: Which,
  end: (request: IncomingMessage) => void,
): Variant => ({
  name: `open-${name}`,
  summary,
  override: mapReply((reply, { request }) => {
    if (which(request)) end(request);
    return reply;
  }),
});

const reset = ({ socket }: IncomingMessage) => socket.resetAndDestroy();
const hangUp = ({ socket }: IncomingMessage) => socket.destroy();

export const openPointVariants: readonly Variant[] = [
  broken('head-reset', 'resets the connection of a HEAD request for the data', byHead, reset),
  broken('options-reset', 'resets the connection of an OPTIONS request for the data', byOptions, reset),
  broken('without-slash-reset', 'resets the connection if the slash is missing', withoutSlash, reset),
  broken('all-reset', 'resets the connection of HEAD, OPTIONS, and a path without its slash', anyOpen, reset),
  broken('all-hang-up', 'hangs up on HEAD, OPTIONS, and a path without its slash', anyOpen, hangUp),
  odd('all-500', 'fails with 500 on HEAD, OPTIONS, and a path without its slash', anyOpen, status(500)),
  odd(
    'all-429',
    'answers HEAD, OPTIONS, and a path without its slash with 429',
    anyOpen,
    sequence(status(429), headers({ 'retry-after': '1' })),
  ),
  odd(
    'all-login-page',
    'answers HEAD, OPTIONS, and a path without its slash with a login page',
    anyOpen,
    loginPage,
  ),
  odd(
    'cors',
    'answers OPTIONS as CORS demands',
    byOptions,
    sequence(
      status(204),
      empty,
      headers({
        'content-length': undefined,
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, OPTIONS',
        'access-control-allow-headers': 'authorization',
      }),
    ),
  ),
  odd(
    'without-slash-text',
    'answers a path without its slash with a text',
    withoutSlash,
    sequence(status(200), body('?')),
  ),
];
