import { expect, _baseTest as test } from '@playwright/test';
import { listenSecret } from './client-secret.ts';

for (const [env, message] of [
  [{ MRS_CLIENT_SECRET_FILE: '/nowhere/secret' }, 'cannot be read (ENOENT)'],
  [{ MRS_CLIENT_SECRET: 'a', MRS_CLIENT_SECRET_FILE: 'b' }, 'are both set'],
] as [Record<string, string>, string][])
  test(`${Object.keys(env).join(' and ')} is refused: ${message}`, () => {
    expect(() => listenSecret(env, test.info().outputDir)).toThrow(message);
  });
