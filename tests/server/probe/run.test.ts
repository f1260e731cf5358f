import { expect, _baseTest as test } from '@playwright/test';
import { createVirtualClock, realClock } from '../../support/clock.ts';
import { createSecrets } from '../../support/secrets.ts';
import { alter } from '../forge.ts';
import { type Probe, repeatsOf } from '../support/evidence.ts';
import { fakeApi, first, isValid, run, statusOf, target, validForm } from '../testing/fake-api.ts';
import { gather } from './run.ts';
import { readTarget } from './target.ts';
import { listen } from './testing/raw-server.ts';

/** The requests of a run with nothing unusual. */
const PLAN = `
  a form with valid credentials | the data with the token | the data with the same token again |
  the data with the same token once more | the data without a token | the data without a token again |
  the health check /health/ without a token | the health check /health/ with the token |
  the data with the token shortly before it expires | the data with the expired token |
  the form with the same credentials again | the data with the new token |
  the data with the new token again | the data with the expired token again |
  the form with the same credentials once more | the data with the newest token |
  the data with the token before the newest | the form with the same credentials a fourth time |
  the data with the fourth token | the data with a bearer header without a token |
  the data with random Basic credentials | the data with a token that was never issued |
  the data with the token, one character altered | a form without grant_type |
  a form with another grant_type | a form without client_id | a form with an unknown client_id |
  a form without client_secret | a form with the client_secret without its last character |
  the data with a random token of the same form | the data with the token, cut at its end |
  the data with the token, extended at its end | the data with the token without its first character |
  the data with the token and one character before it | the data with the token in the other case |
  the data without a token, later | the data with another token that was never issued |
  the data with the token undefined | the data with the token null |
  the data with the client credentials by HTTP Basic |
  the data with a random token that begins like the real one | the data without a token once more |
  the data with a random token that ends like the real one | the data with the expired token, later |
  the data with one more token that was never issued | the data without a token, at the end |
  the data without a token, once more at the end | the data with the expired token, at the end |
  the data with the newest token, at the end | a form with an empty grant_type |
  a form with the grant_type client_credential | a form with the grant_type client_credentialsx |
  a form with the grant_type CLIENT_CREDENTIALS | a form with the grant_type password |
  a form with the grant_type authorization_code | a form with the grant_type refresh_token |
  a form with the JWT bearer grant_type | a form with an empty client_id |
  a form with the client_id without its last character |
  a form with the client_id without its first character | a form with the client_id and one more character |
  a form with the client_id in the other case | a form with an unknown client_id and without client_secret |
  a form with an empty client_secret | a form with the client_secret and a space after it |
  a form with the client_secret in the other case | the data without a token, with a query |
  the data without a token, at its path without the slash | the data by HEAD | the data by OPTIONS |
  the data without the slash at the end of its path`
  .trim()
  .split(/\s*\|\s*/);

test('each request of the plan is sent once, in order', async () => {
  const api = fakeApi();
  const { open } = await run(api);
  expect(open.repeated).toEqual([]);
  expect(api.sent.map(({ what }) => what)).toEqual(PLAN);
});

test('valid credentials are posted four times, and every form after them is wrong in one way', async () => {
  const api = fakeApi();
  await run(api);
  const forms = api.sent.flatMap(({ form }) => form ?? []);
  expect(forms.filter((form) => isValid(form))).toHaveLength(4);
  const { grant_type, client_id, client_secret } = validForm;
  const random = expect.stringMatching(/^[\w-]{32}$/);
  const changed = (name: keyof typeof validForm, ...values: unknown[]) =>
    values.map((value) => ({ ...validForm, [name]: value }));
  expect(forms.slice(4)).toEqual([
    { client_id, client_secret },
    ...changed('grant_type', random),
    { grant_type, client_secret },
    ...changed('client_id', random),
    { grant_type, client_id },
    ...changed('client_secret', 'hunter'),
    ...changed('grant_type', '', 'client_credential', 'client_credentialsx', 'CLIENT_CREDENTIALS'),
    ...changed('grant_type', 'password', 'authorization_code', 'refresh_token'),
    ...changed('grant_type', 'urn:ietf:params:oauth:grant-type:jwt-bearer'),
    ...changed('client_id', '', 'statio', 'tation', 'stationx', 'STATION'),
    { grant_type, client_id: random },
    ...changed('client_secret', '', 'hunter2 ', 'HUNTER2'),
  ]);
});

test('a secret without letters is not sent in the other case, and nothing is missing without it', async () => {
  const { token } = await run(fakeApi(), { ...target, clientSecret: '123456' });
  expect(token.otherCaseClientSecret).toMatchObject({ isOptional: true });
  expect(token.otherCaseClientId).not.toHaveProperty('isOptional');
});

test('the first token opens the data three times, and is the one that expires', async () => {
  const api = fakeApi();
  const { data } = await run(api);
  const used = (probe: Probe) => api.sent.find(({ what }) => what === probe.what)?.token;
  expect([data.first, data.second, data.third, data.expiredToken].map(used)).toEqual(
    Array(4).fill('issued-token-1'),
  );
  expect(used(data.freshToken)).toBe('issued-token-2');
  expect(used(data.withoutToken)).toBeUndefined();
  expect(used(data.alteredToken)).toBe(alter('issued-token-4'));
  expect(used(data.unknownToken)).toMatch(/^[\w-]{32}$/);
});

test('the altered token is a secret too', async () => {
  const secrets = createSecrets();
  await run(fakeApi(), target, { secrets });
  expect(secrets.redact(alter('issued-token-4'))).toBe('‹token, altered›');
});

test('each request and each wait is reported as it happens', async () => {
  const told: string[] = [];
  await run(fakeApi(), target, { progress: (text) => told.push(text) });
  expect(told[0]).toBe('request: a form with valid credentials');
  expect(told).toContain('waiting for the token to expire: 8 s');
  expect(told.at(-1)).toBe('request: the data without the slash at the end of its path');
});

test('after three requests without an answer nothing more is sent', async () => {
  const api = fakeApi({ down: () => true });
  const { token, data, health } = await run(api);
  expect(api.sent).toHaveLength(3);
  const reason =
    'Not sent: 3 requests in a row had no answer; the deployment refused the connection. Check MRS_BASE_URL, and that it is up.';
  for (const probe of [token.unknownClientId, token.again, data.unknownToken, health[0]?.plain])
    expect(probe).toMatchObject({ notSent: reason });
});

test('a deployment that has answered before may hang up on any number of requests', async () => {
  const api = fakeApi({ down: (nth) => nth > 4 });
  await run(api);
  expect(api.sent.length).toBeGreaterThan(30);
});

test('an answer in between starts the count of failures anew', async () => {
  const api = fakeApi({ down: (nth) => nth % 3 !== 0 });
  expect(JSON.stringify(await run(api))).not.toContain('Not sent');
  expect(api.sent.at(-1)?.what).toBe('the data without the slash at the end of its path');
});

test('where no token is obtained, nothing that needs one is sent', async () => {
  const { token, data, expiry } = await run(fakeApi({ tokens: () => 500 }));
  for (const probe of [data.first, data.second, data.third, data.alteredToken, data.freshToken])
    expect(probe).toMatchObject({ notSent: 'No token was obtained (see MRS-4.1a and MRS-2a).' });
  expect(data.expiredToken).toMatchObject({ notSent: expect.stringContaining('No token was accepted') });
  expect(statusOf(data.withoutToken)).toBe(401);
  expect(token.withAuthorization).toMatchObject({
    notSent: expect.stringMatching(/ the form was not refused\.$/),
  });
  expect(expiry).toEqual({ kind: 'none' });
});

test('where the form is refused, it is sent once more with an Authorization header', async () => {
  const api = fakeApi({ tokens: (_, authorization) => (authorization ? 200 : 401) });
  const { token } = await run(api);
  expect([token.valid, token.withAuthorization].map(statusOf)).toEqual([401, 200]);
  const basic = `Basic ${Buffer.from('station:hunter2').toString('base64')}`;
  expect(api.sent.flatMap(({ authorization }) => authorization ?? [])).toEqual([basic]);
});

for (const status of [400, 401, 403, 408, 429, 500, 503]) {
  const isRefused = status <= 403;
  test(`credentials answered with ${status} are sent again ${isRefused ? 'by a header only' : 'in the form only'}`, async () => {
    const api = fakeApi({ tokens: () => status });
    const { token, data } = await run(api);
    expect(api.sent.filter(({ authorization }) => authorization)).toHaveLength(isRefused ? 1 : 0);
    if (!isRefused) return;
    expect(api.sent.filter(({ form }) => form)).toHaveLength(2);
    for (const probe of [token.again, token.unknownClientId, token.cutClientSecret, data.ownCredentials])
      expect(probe).toMatchObject({ notSent: expect.stringMatching(/^The credentials were refused\. /) });
    expect(statusOf(data.withoutToken)).toBe(401);
  });
}

for (const [what, healthPaths, health, sent, statuses, name] of [
  [
    'that refuses is asked with the token',
    ['/a', '/b'],
    (token?: string) => (token ? 200 : 403),
    ['GET /a', 'GET /a', 'GET /b', 'GET /b'],
    [403, 200, 403, 200],
    'the health check /a without a token',
  ],
  [
    'that knows no GET is asked by HEAD',
    ['/a'],
    (_: unknown, method: string) => (method === 'HEAD' ? 200 : 405),
    ['GET /a', 'HEAD /a'],
    [200, undefined],
    'the health check /a without a token, by HEAD',
  ],
  [
    'is asked by the method before its path',
    ['POST /a'],
    () => 204,
    ['POST /a', 'POST /a'],
    [204, 204],
    'the health check POST /a without a token',
  ],
  ['that is not configured is not asked', [], () => 200, [], []],
] as [
  string,
  string[],
  (token: string | undefined, method: string) => number,
  string[],
  (number | undefined)[],
  string?,
][])
  test(`a health check ${what}`, async () => {
    const methods: string[] = [];
    const api = fakeApi({
      health(token, method) {
        methods.push(method);
        return health(token, method);
      },
    });
    const evidence = await run(api, { ...target, healthPaths });
    const asked = api.sent.flatMap(({ path = '' }) => (path.length === 2 ? path : []));
    expect(asked.map((path, nth) => `${methods[nth]} ${path}`)).toEqual(sent);
    const answers = evidence.health.flatMap(({ plain, withToken }) =>
      [plain, withToken].map((one) => one && statusOf(one)),
    );
    expect(answers).toEqual(statuses);
    expect(evidence.health[0]?.plain.what).toBe(name);
  });

test('what no clause binds is asked for late, and with the newest token', async () => {
  const api = fakeApi();
  const { open, tokenRepeats } = await run(api);
  expect(api.sent.slice(-3).map(({ token }) => token)).toEqual([
    'issued-token-4',
    'issued-token-4',
    'issued-token-4',
  ]);
  expect([open.head, open.options, open.withoutSlash].map(statusOf)).toEqual([405, 405, 405]);
  expect(api.sent.find(({ what }) => what === open.tokenBefore.what)?.token).toBe('issued-token-2');
  expect(tokenRepeats).toBe(false);
});

test('a token that expires during the first reads is renewed once, and the beginning is sent again', async () => {
  const api = fakeApi({ data: first((uses) => uses > 1) });
  const { token, data, open } = await run(api);
  expect(open.repeated.slice(0, 4).map(({ what }) => what)).toEqual([
    'a form with valid credentials',
    'the data with the token',
    'the data with the same token again',
    'the data with the same token once more',
  ]);
  expect([data.first, data.second, data.third].map(statusOf)).toEqual([200, 200, 200]);
  expect('id' in token.valid && token.valid.id).toBe('x5');
});

test('a second refusal of the first reads is not followed by another renewal', async () => {
  const api = fakeApi({ data: (token, uses) => (uses > 1 ? 403 : token ? 200 : 401) });
  const { token, data, open } = await run(api);
  expect(open.repeated.filter(({ what }) => what === token.valid.what)).toHaveLength(1);
  expect([data.first, data.second].map(statusOf)).toEqual([200, 403]);
});

for (const [what, status, first] of [
  ['opens the data is used', 200, 200],
  ['does not open the data is discarded', 401, undefined],
] as const)
  test(`a token in another place than the field token that ${what}`, async () => {
    const api = fakeApi({ takenFrom: '/access_token', data: (token) => (token ? status : 401) });
    const { token, data, open } = await run(api);
    expect(statusOf(data.first)).toBe(first);
    const takenFrom = first ? '/access_token' : undefined;
    expect('id' in token.valid && token.valid.response?.tokenResponse?.takenFrom).toBe(takenFrom);
    expect(open.refusedTokens).toHaveLength(first ? 0 : 3);
  });

test('a safe run sends no wrong secret for the real client', async () => {
  const api = fakeApi();
  const { token } = await run(api, { ...target, safe: true });
  expect(token.cutClientSecret).toMatchObject({ notSent: expect.stringContaining('--safe') });
  for (const { form } of api.sent)
    if (form?.client_id === 'station') expect([undefined, 'hunter2']).toContain(form.client_secret);
});

for (const [what, status, judged] of [
  ['opens the data, it was issued all the same', 200, { response: { tokenResponse: { issued: true } } }],
  ['opens nothing, it is none', 401, { response: { tokenResponse: { issued: false } } }],
  ['is not answered, nothing is judged', 503, { notSent: expect.stringContaining('was not answered') }],
] as const)
  test(`where what stands for a token in a refusal ${what}`, async () => {
    const api = fakeApi({
      tokens: (form) => (isValid(form) ? 200 : 401),
      given: 'token-in-error',
      data: (token) => (token === 'token-in-error' ? status : token?.startsWith('issued-') ? 200 : 401),
    });
    const { token, open } = await run(api);
    if (status !== 503) expect(open.refusedTokens.map(statusOf)).toEqual(Array(23).fill(status));
    expect(token.cutClientSecret).toMatchObject(judged);
  });

test('a token that has grown old is replaced before it is altered', async () => {
  const clock = createVirtualClock();
  const api = fakeApi({
    data: (token) => {
      void clock.sleep(200);
      return token ? 200 : 401;
    },
  });
  const { open, data } = await run(api, { ...target, tokenLifetimeSeconds: 1 }, { clock });
  expect(open.repeated.length).toBeGreaterThan(2);
  const used = (probe: Probe) => api.sent.find(({ what }) => what === probe.what)?.token;
  expect(used(data.alteredToken)).toMatch(/^issued-xoken-[5-9]$/);
  const control = api.sent.findIndex(({ what }) => what === data.control.what);
  expect(api.sent[control - 1]?.form).toEqual(validForm);
});

test('where an old token is not replaced, none is altered', async () => {
  const clock = createVirtualClock();
  let forms = 0;
  const api = fakeApi({
    tokens: (form) => (isValid(form) && ++forms <= 4 ? 200 : 429),
    data: (token) => {
      void clock.sleep(200);
      return token ? 200 : 401;
    },
  });
  const { open, data } = await run(api, { ...target, tokenLifetimeSeconds: 1 }, { clock });
  const renewals = open.repeated.filter(({ what }) => what === 'the form with the same credentials again');
  expect(new Set(renewals.map(statusOf))).toEqual(new Set([429]));
  expect(data.cutToken).toMatchObject({
    notSent: 'The token has expired, and a new one was not obtained.',
  });
});

/** The requests that had no decision the first time, in a run with this script. */
const sentAgain = (evidence: Awaited<ReturnType<typeof run>>) =>
  Object.values({ ...evidence.token, ...evidence.data }).filter((probe) => 'id' in probe && probe.again);

for (const code of [408, 429, 500, 502, 503, 504])
  test(`what was answered with ${code} is sent again once at the end, with a token of its own`, async () => {
    const clock = createVirtualClock();
    const isOut = () => api.sent.length >= 11 && api.sent.length < 30;
    const api: ReturnType<typeof fakeApi> = fakeApi({
      tokens: (form) => (isOut() ? code : isValid(form) ? 200 : 400),
      data: (token, uses) =>
        isOut() && code !== 500
          ? code
          : /^issued-token-\d$/.test(token ?? '')
            ? uses > 4 && token === 'issued-token-1'
              ? 403
              : 200
            : isOut()
              ? code
              : 401,
    });
    const evidence = await run(api, target, { clock });
    expect(sentAgain(evidence).length).toBeGreaterThan(2);
    expect(sentAgain(evidence).map(statusOf)).not.toContain(code);
    const last = api.sent.at(-1);
    expect(last?.what).toBe('the data with the newest token, after other requests were sent again');
    // The undecided ones are kept next to the others that were sent again.
    expect(evidence.open.repeated.map(statusOf)).toContain(code);
  });

test('a read of the beginning without a decision is sent again before its token expires', async () => {
  const expires = first((uses) => uses > 5);
  const api = fakeApi({
    data: (token, uses) => (token === 'issued-token-1' && uses === 2 ? 503 : expires(token, uses)),
  });
  const { data } = await run(api);
  expect(data.second).toMatchObject({ again: true, response: { status: 200 } });
  expect(api.sent.findIndex(({ what }) => what === data.second.what)).toBe(2);
  expect(api.sent[4]?.what).toBe(data.second.what);
});

test('nothing is sent again to a deployment that does not serve the data at the end', async () => {
  const expires = first(() => api.sent.length > 8);
  const data: typeof expires = (token, uses) => (api.sent.length > 40 ? 429 : expires(token, uses));
  const api: ReturnType<typeof fakeApi> = fakeApi({ data });
  const evidence = await run(api);
  expect(sentAgain(evidence)).toEqual([]);
  const checks = api.sent.filter(({ what }) => what.includes('before other requests'));
  expect(checks).toHaveLength(5);
});

test('a valid token that is refused at the end is sent once more after a second', async () => {
  const clock = createVirtualClock();
  const sentAt: number[] = [];
  const api = fakeApi({
    data(token, uses) {
      if (token !== 'issued-token-4') return token === 'issued-token-1' && uses > 4 ? 403 : token ? 200 : 401;
      sentAt.push(clock.now());
      return uses === 2 ? 401 : 200;
    },
  });
  const { open, data } = await run(api, target, { clock });
  expect(statusOf(data.control)).toBe(200);
  expect(repeatsOf(data.control, { open }).map(statusOf)).toEqual([401]);
  expect((sentAt[2] ?? 0) - (sentAt[1] ?? 0)).toBe(1000);
});

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
