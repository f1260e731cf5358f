/** Each wrong client shows on the wire what is wrong with it, where a correct one does not. */
import { expect, test } from '@playwright/test';
import { pages } from '../../tests/clients/pages.ts';
import { wrongClients } from '../../tests/clients/wrong.ts';
import { type Circumstance, circumstances, observe } from '../testing/client-run.ts';
import { type Sign, signs } from '../testing/client-signs.ts';

test('each wrong client has a name of its own, a rule that catches it and a sign', () => {
  const names = wrongClients.map(({ name }) => name);
  expect(Object.keys(signs).sort()).toEqual([...new Set(names)].sort());
  expect(names).toHaveLength(new Set(names).size);
  for (const { name, catches } of wrongClients) expect(Object.keys(catches), name).not.toEqual([]);
});

for (const { name, summary, behaviour } of wrongClients)
  test(`${name} ${summary}`, async () => {
    const { meets, shows } = signs[name] as Sign; // The test above asks for one.
    expect(shows(await observe(behaviour, { meets, until: shows }))).toBe(true);
  });

for (const meets of Object.keys(circumstances) as Circumstance[])
  for (const [name, behaviour, readers] of [
    ['one reader', {}, 1],
    ['five readers of pages', pages, 5],
  ] as const)
    test(`a correct client with ${name} shows none of it where it meets ${meets}`, async () => {
      const seen = await observe({ ...behaviour, readers }, { meets, until: () => false, seconds: 2.5 });
      expect(seen.data.length).toBeGreaterThan(2);
      const shown = Object.entries(signs).filter(([, sign]) => sign.meets === meets && sign.shows(seen));
      expect(shown.map(([wrong]) => wrong)).toEqual([]);
    });
