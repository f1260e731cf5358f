/** Before the suite, where no deployment is named: the mock that `mrs verify` has begun to start, or one of its own. */
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
