import { expect, test } from 'vitest';
import { UsageError } from '../support/usage-error.ts';
import { createBaseUrlFinder, pathBelow, readBaseUrl } from './base-url.ts';

function find(...requests: readonly (readonly [method: string, address: string])[]): string {
  const finder = createBaseUrlFinder();
  for (const [method, address] of requests) {
    const { origin, pathname: path } = new URL(address);
    finder.note({ method, origin, path });
  }
  return finder.find('a.har');
}

test('the service is the one that was asked for a token', () => {
  expect(find(['GET', 'https://a.example/x/ods_data/'], ['POST', 'https://b.example/api/v1/token/'])).toBe(
    'https://b.example/api/v1',
  );
});

test('of several that were asked for a token, it is the one that data was read from', () => {
  const login = ['POST', 'https://login.example/oauth2/token/'] as const;
  const service = ['POST', 'https://mrs.example/token/'] as const;
  expect(find(login, service, ['GET', 'https://mrs.example/ods_data/'])).toBe('https://mrs.example');
});

test('several services are named, and one has to be chosen', () => {
  const both = () => find(['POST', 'https://a.example/token/'], ['POST', 'https://b.example/token/']);
  expect(both).toThrow(UsageError);
  expect(both).toThrow('several services: https://a.example, https://b.example. Name one with --base-url.');
});

test('a service that redirects from http to https is at the address that it leads to', () => {
  const finder = createBaseUrlFinder();
  const note = (origin: string, status: number, location?: string) => {
    const headers = location === undefined ? [] : [['location', location] as const];
    finder.note({ method: 'POST', origin, path: '/token/', answer: { status, headers } });
  };
  for (const status of [301, 303]) note('http://mrs.example', status, 'https://mrs.example/token/');
  note('https://mrs.example', 200);
  expect(finder.find('a.har')).toBe('https://mrs.example');
});

test('a session in an address of the file is not repeated', () => {
  const both = () =>
    find(['POST', 'https://a.example/;jsessionid=5F2A9C/token/'], ['POST', 'https://b.example/token/']);
  expect(both).toThrow('https://a.example/;…, https://b.example');
});

test('a service that only refuses is named as well', () => {
  const finder = createBaseUrlFinder();
  for (const [origin, status] of [
    ['https://a.example', 200],
    ['https://b.example', 401],
  ] as const)
    finder.note({ method: 'POST', origin, path: '/token/', answer: { status, headers: [] } });
  expect(() => finder.find('a.har')).toThrow('https://a.example, https://b.example');
});

test('a file without a token request needs a base URL', () => {
  expect(() => find(['GET', 'https://a.example/ods_data/'])).toThrow('Name it with --base-url.');
});

test('a base URL that is given loses its slash, and a password in it is not repeated', () => {
  expect(readBaseUrl('HTTPS://Mrs.Example/api/', '--base-url')).toBe('https://mrs.example/api');
  const wrong = () => readBaseUrl('https://user:pass-word@mrs.example', '--base-url');
  expect(wrong).toThrow(UsageError);
  expect(wrong).not.toThrow('pass-word');
});

test('a path counts as below the base URL only after a slash', () => {
  const at = (path: string) =>
    pathBelow('https://a.example/api', { method: 'GET', origin: 'https://a.example', path });
  expect([at('/api/token/'), at('/apis/token/'), at('/api'), at('/token/')]).toEqual([
    '/token/',
    undefined,
    undefined,
    undefined,
  ]);
});
