/** Runs before the suite if no deployment is named: takes the mock that `mrs verify` is starting, or starts one. */
import { once } from 'node:events';
import { removeRunFolder } from '../../tests/server/run/hand-over.ts';
import { endWithParent } from '../../tests/support/end-with-parent.ts';
import { ASKS_FOR_MOCK, startEmbeddedMock } from './embedded-mock.ts';

export default async function setUpMock(): Promise<(() => Promise<void>) | undefined> {
  if (process.send) {
    endWithParent(removeRunFolder);
    process.send(ASKS_FOR_MOCK);
    const [variables] = await once(process, 'message');
    Object.assign(process.env, variables);
    return undefined;
  }
  const mock = await startEmbeddedMock(process.env);
  Object.assign(process.env, mock.variables);
  return mock.close;
}
