import { Command } from 'commander';
import { expect, test } from 'vitest';
import { type OptionTable, optionsIn, wholeNumber } from '../../tests/support/option-table.ts';
import { UsageError } from '../../tests/support/usage-error.ts';
import { addOptions, readCommand } from './options.ts';
import { VERIFY_OPTIONS } from './verify.ts';

const TABLE = {
  port: {
    flag: '--port <number>',
    variable: 'MRS_PORT',
    help: 'port to listen on',
    default: '4010',
    parse: wholeNumber(0, 65_535),
  },
  name: { flag: '--name <text>', variable: 'MRS_NAME', help: 'name of the client' },
  safe: { flag: '--safe', variable: 'MRS_SAFE', help: 'skip the probes with a wrong secret' },
  secret: { variable: 'MRS_CLIENT_SECRET', help: 'the client secret' },
} as const satisfies OptionTable;

/** The values that the command receives for these arguments and variables. */
async function valuesOf(
  args: string[],
  env: Record<string, string> = {},
  table: OptionTable = TABLE,
): Promise<Record<string, unknown>> {
  let values = {};
  const command = addOptions(new Command('made-up').exitOverride(), table)
    .hook('preAction', (_, begun) => readCommand(begun, env))
    .action((given) => {
      values = given;
    });
  await command.parseAsync(args, { from: 'user' });
  return values;
}

test('a flag takes precedence over its variable, and the variable over the default', async () => {
  expect(await valuesOf([])).toEqual({ port: 4010 });
  expect(await valuesOf([], { MRS_PORT: '5000' })).toEqual({ port: 5000 });
  expect(await valuesOf(['--port', '6000'], { MRS_PORT: '5000' })).toEqual({ port: 6000 });
});

test('mrs verify takes the health paths of each --health-paths', async () => {
  const args = ['--health-paths', '/a,POST /b', '--health-paths', '/c'];
  const given = await valuesOf(args, {}, { healthPaths: VERIFY_OPTIONS.healthPaths });
  expect(String(given.healthPaths)).toBe('/a,POST /b,/c');
});

test('an empty variable counts as not set', async () => {
  expect(await valuesOf([], { MRS_PORT: '', MRS_NAME: '', MRS_SAFE: '' })).toEqual({ port: 4010 });
});

test('an empty value is refused', async () => {
  await expect(valuesOf(['--name', ''])).rejects.toThrow(
    new UsageError('--name (MRS_NAME) is empty. Give a value, or leave the option out.'),
  );
});

test('an invalid value is refused with the flag, the variable and the value', async () => {
  const message = '--port (MRS_PORT) is "70000". Give a whole number from 0 to 65535.';
  await expect(valuesOf(['--port', '70000'])).rejects.toThrow(new UsageError(message));
  await expect(valuesOf([], { MRS_PORT: '70000' })).rejects.toThrow(new UsageError(message));
});

test('an option with an invalid value is named as its program takes it, wherever the value comes from', async () => {
  const message = (name: string) => `${name} is "70000". Give a whole number from 0 to 65535.`;
  const { flag: _, ...row } = TABLE.port;
  await expect(valuesOf([], { MRS_PORT: '70000' }, { port: row })).rejects.toThrow(message('MRS_PORT'));
  expect(() => optionsIn(TABLE, { MRS_PORT: '70000' })).toThrow(message('MRS_PORT'));
});

test('a mistake in a value is found when all of the command line is known', async () => {
  await expect(valuesOf(['--port', 'x', '--nam', 'y'])).rejects.toThrow("unknown option '--nam'");
});

test('an option cannot be used with one that it conflicts with, whether flags or variables give them', async () => {
  const table = {
    ...TABLE,
    mock: { flag: '--mock', variable: 'MRS_MOCK', help: 'judge the mock', conflicts: 'name' },
  } as const;
  const message = '--mock (MRS_MOCK) cannot be used with --name (MRS_NAME). Leave one of them out.';
  await expect(valuesOf(['--mock', '--name', 'a'], {}, table)).rejects.toThrow(message);
  await expect(valuesOf(['--mock'], { MRS_NAME: 'a' }, table)).rejects.toThrow(message);
  expect(await valuesOf(['--name', 'a'], { MRS_MOCK: '0' }, table)).toMatchObject({ name: 'a' });
});

for (const [value, safe] of [
  ['1', { safe: true }],
  ['true', { safe: true }],
  ['0', {}],
  ['off', {}],
] as const)
  test(`a switch whose variable is "${value}" is ${'safe' in safe ? 'on' : 'off'}`, async () => {
    expect(await valuesOf([], { MRS_SAFE: value })).toEqual({ port: 4010, ...safe });
  });

test('a switch whose variable is neither on nor off is refused', async () => {
  await expect(valuesOf([], { MRS_SAFE: 'maybe' })).rejects.toThrow(
    '--safe (MRS_SAFE) is "maybe". Set it to 1, or leave it out.',
  );
});

test('the help shows default and variable, within 80 columns, and secrets apart', () => {
  const command = addOptions(new Command('made-up'), TABLE);
  let help = '';
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  expect(help).toMatch(/--port <number> +port to listen on \(default: 4010\) \[MRS_PORT\]/);
  expect(help).toMatch(/Only from the environment.*\n +MRS_CLIENT_SECRET +the client secret/);
  expect(Math.max(...help.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80);
});

test('a variable that is set to nothing counts as not given, and is known', () => {
  const { values, empty } = optionsIn(TABLE, { MRS_NAME: '', MRS_CLIENT_SECRET: 's3cret' });
  expect([values, empty]).toEqual([{ port: 4010, secret: 's3cret' }, ['name']]);
});
