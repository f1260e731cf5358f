import { expect, test } from 'vitest';
import { loadContract } from './contract/contract.ts';
import { engineFor } from './prism.ts';

const engine = () => engineFor(loadContract());

test('an answer that Prism negotiates with another status than the asked one stops the mock', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: a document to be spoilt
  const document = structuredClone(loadContract().document) as any;
  const { 200: served, 401: refused } = document.paths['/ods_data/'].get.responses;
  const examples = (response: typeof served) => response.content['application/json'].examples;
  // Prism does not find the example under 401, so it looks for it under the success.
  examples(served)['missing-token'] = examples(refused)['missing-token'];
  delete examples(refused)['missing-token'];
  await expect(engineFor({ ...loadContract(), document })).rejects.toThrow(
    "readData 401 missing-token: the contract's answer has status 200.",
  );
});

for (const [accept, accepted] of [
  [undefined, true],
  ['application/json', true],
  ['*/*', true],
  ['text/html, application/*;q=0.1', true],
  ['text/html', false],
  ['application/json;q=0', false],
  ['*/*;q=0', false],
  ['garbage', false],
] as const)
  test(`accept: ${accept} ${accepted ? 'has' : 'leaves out'} JSON, whatever was asked before`, async () => {
    const { accepts } = await engine();
    for (const id of ['readData', 'checkHealth', 'obtainToken', 'readData'] as const)
      expect(await accepts(id, accept)).toBe(accepted);
    expect(await accepts('readData', 'text/html')).toBe(false);
  });
