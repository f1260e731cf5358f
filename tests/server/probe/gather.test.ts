import { expect, _baseTest as test } from '@playwright/test';
import { realClock } from '../../support/clock.ts';
import { createSecrets } from '../../support/secrets.ts';
import { gather } from './gather.ts';
import { readTarget } from './target.ts';
import { listen } from './testing/raw-server.ts';

const KEY = 'gate-7f3a9c51e2d8';

test('the value of a gateway header is in no evidence, however the deployment repeats it', async () => {
  const body = JSON.stringify({
    plain: KEY,
    base64: Buffer.from(`gateway:${KEY}`).toString('base64'),
    percent: `%67${KEY.slice(1)}`,
  });
  await using peer = await listen((socket) =>
    socket.end(
      `HTTP/1.1 403 No ${KEY}\r\ncontent-type: application/json\r\nlocation: /?key=${KEY}\r\n` +
        `content-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`,
    ),
  );
  const env = {
    MRS_BASE_URL: peer.url,
    MRS_CLIENT_ID: 'acme',
    MRS_CLIENT_SECRET: 's3cret-of-acme',
    MRS_HEADER: 'X-Api-Key=env:GATEWAY_KEY',
    GATEWAY_KEY: KEY,
  };
  const secrets = createSecrets();
  const evidence = await gather(readTarget(env), { secrets, clock: realClock, progress: () => {} });
  expect(peer.requests[0]).toContain(`\r\nX-Api-Key: ${KEY}\r\n`);
  const text = JSON.stringify(evidence);
  // The request and the header of the response: what a run sent, and what came back.
  expect(text.includes('["X-Api-Key","‹$GATEWAY_KEY›"]'), 'the alias is shown').toBe(true);
  expect(text.includes('["location","/?key=‹$GATEWAY_KEY›"]'), 'the alias is shown').toBe(true);
  expect(text.includes(KEY.slice(1)), 'the key is in the evidence').toBe(false);
  expect(secrets.leaks(text)).toEqual([]);
  expect(secrets.leaks(KEY)).toEqual(['$GATEWAY_KEY']);
});

test('a short value of a gateway header is sent, and is not taken for a key', async () => {
  await using peer = await listen((socket) =>
    socket.end('HTTP/1.1 403 No\r\ncontent-length: 0\r\nconnection: close\r\n\r\n'),
  );
  const env = {
    MRS_BASE_URL: peer.url,
    MRS_CLIENT_ID: 'acme',
    MRS_CLIENT_SECRET: 's3cret-of-acme',
    MRS_HEADER: 'X-Internal=env:INTERNAL',
    INTERNAL: 'true',
  };
  const secrets = createSecrets();
  await gather(readTarget(env), { secrets, clock: realClock, progress: () => {} });
  expect(peer.requests[0]).toContain('\r\nX-Internal: true\r\n');
  expect(secrets.leaks('true')).toEqual([]);
});
