/** /__mock/snapshots and /__mock/reset: the mock at an earlier moment. */
import { WHY } from '../state/one-replica.ts';
import { WHY_SERVICE } from '../state/real-service.ts';
import type { State } from '../state/state.ts';
import { jsonReply, noContent, Refusal } from './answer.ts';
import type { ControlRoute } from './route.ts';

const MOST = 10;

export function snapshotRoutes(state: State): ControlRoute[] {
  const kept = new Map<string, () => void>();
  let count = 0;

  function named(id: string): () => void {
    const restore = kept.get(id);
    if (restore) return restore;
    throw new Refusal(404, 'not_found', `Nothing was changed: there is no snapshot "${id.slice(0, 100)}".`);
  }

  return [
    {
      method: 'POST',
      path: '/__mock/snapshots',
      oneReplica: WHY.restore,
      realService: WHY_SERVICE.restore,
      answer() {
        if (kept.size >= MOST)
          throw new Refusal(
            409,
            'conflict',
            `Nothing was changed: ${MOST} snapshots exist already. Delete one of them.`,
          );
        const id = String(++count);
        kept.set(id, state.save());
        return jsonReply({ id }, 201);
      },
    },
    {
      method: 'POST',
      path: '/__mock/snapshots/{id}/restore',
      oneReplica: WHY.restore,
      realService: WHY_SERVICE.restore,
      answer({ name }) {
        named(name)();
        return noContent;
      },
    },
    {
      method: 'DELETE',
      path: '/__mock/snapshots/{id}',
      oneReplica: WHY.restore,
      realService: WHY_SERVICE.restore,
      answer({ name }) {
        named(name);
        kept.delete(name);
        return noContent;
      },
    },
    {
      method: 'POST',
      path: '/__mock/reset',
      oneReplica: WHY.restore,
      realService: WHY_SERVICE.restore,
      answer() {
        state.reset();
        return noContent;
      },
    },
  ];
}
