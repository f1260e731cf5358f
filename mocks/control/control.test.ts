import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, _baseTest as test } from '@playwright/test';
import { type Mock, type Step, startMock } from '../index.ts';
import { ask, KEY, obtainToken, START, startFrozen as start, statusOf } from '../testing/described.ts';

const move = (mock: Mock, body: unknown) => ask(mock, '/__mock/clock', { method: 'PUT', body });

test('on the boundary of its life a token is valid, expired, and valid again when time goes back', async () => {
  await using mock = await start();
  const token = await obtainToken(mock);
  const seen = [];
  for (const delta of ['-1ms', '0s', '1s', '-1s']) {
    mock.clock.reset();
    mock.clock.freeze();
    expect(await move(mock, { action: 'advance', until: 'next-expiry', delta })).toMatchObject({
      status: 200,
    });
    seen.push(await statusOf(mock, token));
  }
  expect(seen).toEqual([200, 403, 403, 200]);
});

for (const [what, body, state] of [
  ['advance by seconds', { action: 'advance', by: 90 }, { now: '2030-01-01T00:01:30.000Z', mode: 'frozen' }],
  ['advance by a duration', { action: 'advance', by: '15m' }, { now: '2030-01-01T00:15:00.000Z' }],
  ['advance by a number as text', { action: 'advance', by: '-90' }, { now: '2029-12-31T23:58:30.000Z' }],
  ['set', { action: 'set', to: '2031-02-03T04:05:06Z' }, { now: '2031-02-03T04:05:06.000Z' }],
  ['scale', { action: 'scale', factor: 60 }, { mode: 'scaled', scale: 60 }],
  ['resume', { action: 'resume' }, { mode: 'real', scale: 1 }],
  ['reset', { action: 'reset' }, { mode: 'real', now: '2030-01-01T00:00:00.000Z' }],
  ['freeze', { action: 'freeze' }, { mode: 'frozen', scale: 0 }],
] as const)
  test(`${what}: the clock is moved, reported, and what the Date header shows`, async () => {
    await using mock = await start();
    const answer = await move(mock, body);
    expect(answer).toMatchObject({ status: 200, body: state });
    expect(await ask(mock, '/__mock/clock')).toMatchObject({ status: 200, body: state });
    expect((await ask(mock, '/health/')).headers.date).toBe(new Date(mock.clock.now()).toUTCString());
  });

for (const [what, lines] of [
  ['Host', ['Host: 127.0.0.1', 'Host: mrs.example', `Authorization: Bearer ${KEY}`]],
  ['Authorization', ['Host: 127.0.0.1', `Authorization: Bearer ${KEY}`, 'Authorization: Bearer x']],
] as const)
  test(`the control API refuses several headers ${what}`, async () => {
    await using mock = await start();
    const socket = connect(Number(new URL(mock.url).port), '127.0.0.1');
    socket.end(`GET /__mock/clock HTTP/1.1\r\n${lines.join('\r\n')}\r\nConnection: close\r\n\r\n`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 /);
  });

for (const [what, body, sentence] of [
  ['a leap second', { action: 'set', to: '2016-12-31T23:59:60Z' }, 'leap seconds are not supported.'],
  ['too late', { action: 'advance', by: 1e17 }, '/by must be <= 10000000000000000.'],
  ['nothing', {}, "the body must have required property 'action'."],
] as const)
  test(`a change of the clock to ${what} is refused with a sentence`, async () => {
    await using mock = await start();
    const answer = await move(mock, body);
    expect(answer).toMatchObject({ status: 400 });
    const { error_description: said } = answer.body as { error_description: string };
    expect(said).toMatch(/^Nothing was changed[:.] /);
    expect(said).toContain(sentence);
    expect(said).not.toContain('NaN');
  });

test('the clock shows when the next token expires', async () => {
  await using mock = await start();
  expect((await ask(mock, '/__mock/clock')).body).not.toHaveProperty('nextExpiry');
  await obtainToken(mock);
  mock.clock.advance(60);
  await obtainToken(mock);
  expect((await ask(mock, '/__mock/clock')).body).toMatchObject({ nextExpiry: '2030-01-01T00:15:00.000Z' });
});

for (const [what, body, sentence] of [
  ['no JSON', '{', /the body is not JSON/],
  [
    'a member that is there twice',
    '{"action":"freeze","\\u0061ction":"reset"}',
    /has the member "action" twice/,
  ],
  ['another action', { action: 'stop' }, /\/action must be equal to one of the allowed values \(freeze, /],
  ['another field', { action: 'freeze', at: 1 }, /additional properties \(at\)/],
  ['an advance by nothing', { action: 'advance' }, /must have required property 'by'/],
  [
    'an advance by a word',
    { action: 'advance', by: 'soon' },
    /\/by must be seconds, or a number with a unit, such as 90/,
  ],
  ['a moment that is no date', { action: 'set', to: 'noon' }, /\/to must match format "date-time"/],
  ['a scale below zero', { action: 'scale', factor: -1 }, /\/factor must be >= 0/],
  ['an advance beyond all dates', { action: 'advance', by: 1e15 }, /is outside the calendar/],
] as const)
  test(`${what} is refused with a sentence, and moves nothing`, async () => {
    await using mock = await start();
    const answer = await move(mock, body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error_description: expect.stringMatching(sentence) });
    expect(mock.clock.now()).toBe(START);
  });

test('moving to the next expiry needs a live token', async () => {
  await using mock = await start();
  const answer = await move(mock, { action: 'advance', until: 'next-expiry' });
  expect(answer).toMatchObject({ status: 409 });
  expect(mock.clock.now()).toBe(START);
});

for (const [what, headers, status] of [
  ['no key', { authorization: '' }, 401],
  ['another key', { authorization: `Bearer ${KEY}x` }, 401],
  ['a key of another scheme', { authorization: `Basic ${KEY}` }, 401],
  ['another host', { host: 'rebound.example' }, 403],
  ['a page of another site', { origin: 'http://evil.example' }, 403],
  ['what a browser says comes from another site', { 'sec-fetch-site': 'cross-site' }, 403],
] as const)
  test(`${what} moves nothing`, async () => {
    await using mock = await start();
    const answer = await ask(mock, '/__mock/clock', {
      method: 'PUT',
      headers,
      body: { action: 'advance', by: 60 },
    });
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer)).not.toContain(KEY);
    expect(mock.clock.now()).toBe(START);
  });

test('a page of the mock itself may move it', async () => {
  await using mock = await start();
  const headers = { origin: new URL(mock.url).origin };
  expect(
    await ask(mock, '/__mock/clock', { method: 'PUT', headers, body: { action: 'freeze' } }),
  ).toMatchObject({
    status: 200,
  });
});

test('health is reported without a key, and not below the base path of the service', async () => {
  await using mock = await start({ basePath: '/api' });
  const headers = { authorization: '' };
  expect(await ask(mock, '/__mock/health', { headers })).toMatchObject({
    status: 200,
    body: { status: 'ok' },
  });
  expect(await ask(mock, '/api/__mock/health', { headers })).toMatchObject({
    status: 404,
    body: { error_description: expect.stringContaining('is at /__mock, without a base path.') },
  });
});

test('another path and another method are refused as such', async () => {
  await using mock = await start();
  expect(await ask(mock, '/__mock/clocks')).toMatchObject({ status: 404 });
  expect(await ask(mock, '/__mock/clock', { method: 'DELETE' })).toMatchObject({
    status: 405,
    headers: { allow: 'GET, PUT' },
  });
});

test('without control there is nothing below /__mock', async () => {
  await using mock = await start({ controlKey: false });
  expect(await ask(mock, '/__mock/health')).toMatchObject({ status: 404 });
  expect(mock.controlKey).toBeUndefined();
});

test('each mock has a key of its own', async () => {
  await using one = await startMock();
  await using other = await startMock();
  expect(one.controlKey).toMatch(/^[\w-]{32}$/);
  expect(one.controlKey).not.toBe(other.controlKey);
});

test('a token that outlives the calendar does no harm', async () => {
  await using mock = await start({ tokenLifetime: 99_999_999_999_999 });
  await obtainToken(mock);
  expect(await ask(mock, '/__mock/clock')).toMatchObject({
    status: 200,
    body: { nextExpiry: '9999-12-31T23:59:59.999Z' },
  });
});

test('any client can be given the script of any scenario', async () => {
  await using mock = await start();
  const { status, body } = await ask(mock, '/__mock/scenarios');
  const { scenarios } = body as { scenarios: { name: string; script: Step[] }[] };
  expect(status).toBe(200);
  expect(scenarios.map(({ name }) => name)).toEqual(
    expect.arrayContaining(['expires-every-3', 'token-500', 'data-many']),
  );
  for (const { script } of scenarios)
    expect(await ask(mock, '/__mock/clients/demo/script', { method: 'PUT', body: script })).toMatchObject({
      status: 200,
      body: { script },
    });
});

test('of a token that was ended it is reported when', async () => {
  await using mock = await start({ clients: [{ id: 'demo', secret: 'demo-secret', skew: '30s' }] });
  await obtainToken(mock);
  mock.clock.advance('1m');
  mock.client('demo').expire();
  mock.clock.advance('1m');
  expect(await ask(mock, '/__mock/clients/demo')).toMatchObject({
    body: { tokens: [{ ended: 'expired', endedAt: '2030-01-01T00:01:00.000Z' }] },
  });
});
