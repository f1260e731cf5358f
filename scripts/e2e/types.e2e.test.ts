/** Types, mock and suite are of one contract: what the mock answers under a profile fits the types of that profile. */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import openapiTypes, { astToString } from 'openapi-typescript';
import { expect, test } from 'vitest';
import { profileNames } from '../../mocks/contract/profile.ts';
import { outputPath } from '../../tests/support/testing/output-path.ts';
import { startMock } from '../index.ts';
import { mrsHere } from './testing/mrs.ts';

const tsc = fileURLToPath(new URL('../../node_modules/typescript-7/bin/tsc', import.meta.url));
const DATA = "operations['readData']['responses'][200]['content']['application/json']";

test('what the mock serves under each profile is of the type of its data, and nothing else is', async () => {
  const folder = outputPath('types');
  mkdirSync(folder, { recursive: true });
  for (const name of profileNames()) {
    writeFileSync(
      join(folder, `${name}.types.ts`),
      astToString(await openapiTypes((await mrsHere(['profile', 'show', name])).stdout)),
    );
    const data = JSON.stringify(await dataUnder(name));
    const lines = (value: string) =>
      `import type { operations } from './${name}.types';\nexport const data: ${DATA} = ${value};\n`;
    writeFileSync(join(folder, `${name}.served.ts`), lines(data));
    writeFileSync(
      join(folder, `${name}.spoilt.ts`),
      lines(data.replace('"freq_lower_hz":', '"freq_lower_mhz":')),
    );
  }
  const files = profileNames().flatMap((name) => ['served', 'spoilt'].map((kind) => `${name}.${kind}.ts`));
  const options =
    '--ignoreConfig --pretty false --strict --noEmit --module esnext --moduleResolution bundler'.split(' ');
  const { stdout } = await promisify(execFile)(process.execPath, [tsc, ...options, ...files], {
    cwd: folder,
  }).catch((error) => error);
  const wrong = stdout.match(/^[^\s(]+(?=\(\d+,\d+\): error TS\d+)/gm);
  const declared = ['legacy', 'nrao-ods', 'ods-record', 'static-feed'];
  expect([...new Set(wrong)].sort()).toEqual(declared.map((name) => `${name}.spoilt.ts`));
});

async function dataUnder(profile: string): Promise<unknown> {
  await using mock = await startMock({ profile, seed: 'types' });
  const path = mock.operations.find(({ id }) => id === 'readData')?.path ?? '';
  const form = new URLSearchParams({
    ...{ grant_type: 'client_credentials', client_id: 'demo', client_secret: 'demo-secret' },
  });
  const answer = await fetch(`${mock.url}/token/`, { method: 'POST', body: form });
  const { token } = (await answer.json()) as { token?: string };
  const data = await fetch(mock.url + path, { headers: { authorization: `Bearer ${token}` } });
  expect(data.status, profile).toBe(200);
  return data.json();
}
