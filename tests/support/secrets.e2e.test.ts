/**
 * The search for secrets holds up every signal and every deadline, so it must be linear in what a deployment sends.
 * Counted are steps, as V8 counts them for coverage: how often each block of the code ran.
 */
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';

const LINKED = 'Zq3vT8xKpL0w';

for (const [what, token, piece] of [
  ['one letter', 'a'.repeat(3000), 'a'],
  ['a token that ends differently', `${'a'.repeat(3000)}b`, 'a'],
  ['backslashes', '\\'.repeat(10_000), '\\'],
  ['links with the token', LINKED, `https://mrs.example/?access=${LINKED}&n=1\n`],
  ['parts of the token', 'abcdefghijklmnopqrstuvwxyz', 'abcdefghi cdefghijkl '],
  ['aliases, and what looks like one', LINKED, '‹token 1›‹token 2›‹'],
] as const)
  test(`100 kB of ${what} is searched in steps that are linear in their length`, () => {
    const [few = 0, twice = 0, many = 0] = stepsFor(token, piece, [10_000, 20_000, 100_000]);
    // V8 leaves out a block that ran as often as the one around it, so that the counts are not exact.
    expect(twice / few).toBeLessThan(3);
    expect(many / twice).toBeGreaterThan(2); // They are counted.
    expect(many / twice).toBeLessThan(10);
  });

/** How many steps it takes to redact texts of these lengths, and to look for leaks in them. */
function stepsFor(token: string, piece: string, lengths: number[]): number[] {
  const script = `
    import { Session } from 'node:inspector';
    const session = new Session();
    session.connect();
    const ask = (method, params) => {
      let answer;
      session.post('Profiler.' + method, params, (error, result) => { if (error) throw error; answer = result; });
      return answer;
    };
    ask('enable');
    ask('startPreciseCoverage', { callCount: true, detailed: true }); // Before the code is compiled.
    const { createSecrets } = await import(${JSON.stringify(new URL('../../dist/tests/support/secrets.js', import.meta.url).href)});
    const { token, piece, lengths } = ${JSON.stringify({ token, piece, lengths })};
    const secrets = createSecrets();
    secrets.register(token, 'token 1');
    secrets.redact(piece.repeat(10));
    ask('takePreciseCoverage'); // Sets the counts to zero.
    console.log(JSON.stringify(lengths.map((length) => {
      const text = piece.repeat(length / piece.length);
      secrets.leaks(text);
      secrets.redact(text);
      const blocks = ask('takePreciseCoverage').result.filter(({ url }) => url.includes('/tests/support/'))
        .flatMap(({ functions }) => functions.flatMap(({ ranges }) => ranges));
      return blocks.reduce((sum, { count }) => sum + count, 0);
    })));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }),
  );
}
