/** Deployments that give the data without a token, if it is asked for in some way. */
import type { IncomingMessage } from 'node:http';
import type { Client } from '../../clients.ts';
import type { Defect } from '../deployment.ts';
import { combine, mapReply } from '../overrides.ts';
import { json, mediaType, sequence, status } from '../reply-edits.ts';
import { servedRecords, serveRecords } from '../served-records.ts';

const open = (
  name: string,
  summary: string,
  id: string,
  what: string,
  isOpen: (request: IncomingMessage, client: Client | undefined) => boolean,
): Defect => ({
  name: `open-${name}`,
  summary: `gives the data ${summary}`,
  fails: { [id]: new RegExp(`^expected that the data is not given\\b.*; seen: the data ${what}: 200\\b`) },
  override: (parts) =>
    combine(
      serveRecords,
      mapReply((reply, { request }) => {
        const [client] = parts.state.clients.list();
        if (request.method !== 'GET' || !isOpen(request, client)) return reply;
        const data = json(() => ({ ods_data: servedRecords }));
        return sequence(status(200), mediaType('application/json'), data)(reply);
      }),
    )(parts),
});

const bearer = (token: string) =>
  open(
    `to-${token}`,
    `to the token ${token}`,
    'MRS-5.5a',
    `with the token ${token}`,
    ({ headers }) => headers.authorization === `Bearer ${token}`,
  );

const anonymous = ({ headers }: IncomingMessage) => headers.authorization === undefined;

export const withoutTokenDefects: readonly Defect[] = [
  bearer('undefined'),
  bearer('null'),
  open(
    'to-credentials',
    'to the credentials of a client by HTTP Basic',
    'MRS-1.3',
    'with the client credentials by HTTP Basic',
    ({ headers }, client) => {
      const basic = Buffer.from(`${client?.id}:${client?.secret}`).toString('base64');
      return headers.authorization === `Basic ${basic}`;
    },
  ),
  open(
    'by-query',
    'without a token if the request has a query',
    'MRS-1.3',
    'without a token, with a query',
    (request) => anonymous(request) && /^\/ods_data\/\?/.test(request.url ?? ''),
  ),
  open(
    'without-slash',
    'without a token at the path without its slash',
    'MRS-1.3',
    'without a token, at its path without the slash',
    (request) => anonymous(request) && request.url === '/ods_data',
  ),
];
