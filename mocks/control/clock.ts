/** /__mock/clock: the mock's time. */

import type { ClockChange, ClockView } from '../contract/control-types.ts';
import { timeText } from '../state/clock.ts';
import { secondsIn } from '../state/duration.ts';
import { WHY } from '../state/one-replica.ts';
import { WHY_SERVICE } from '../state/real-service.ts';
import type { State } from '../state/state.ts';
import type { Reply } from '../wire/reply.ts';
import { jsonReply, Refusal } from './answer.ts';
import { clientNamed } from './lookup.ts';
import type { ControlRoute } from './route.ts';

export function clockRoutes(state: State): ControlRoute[] {
  const { clock, tokens } = state;

  function view(): Reply {
    const next = tokens.nextExpiry();
    const answer: ClockView = {
      mode: clock.mode,
      now: timeText(clock.now()),
      scale: clock.scale,
      ...(next !== undefined && { nextExpiry: timeText(next) }),
    };
    return jsonReply(answer);
  }

  function move({ action, by = 0, until, client, delta = 0, to = '', factor = 1 }: ClockChange): void {
    if (action === 'freeze') clock.freeze();
    else if (action === 'resume') clock.resume();
    else if (action === 'reset') clock.reset();
    else if (action === 'scale') clock.setScale(factor);
    else if (action === 'set') clock.set(timeIn(to));
    else if (until === undefined) clock.advance(secondsIn(by));
    else if (!state.advanceToExpiry(client === undefined ? undefined : clientNamed(state, client), delta))
      throw new Refusal(409, 'conflict', 'Nothing was changed: no token is valid, so none can expire next.');
  }

  /** Throws RangeError for a time that JavaScript cannot express. */
  function timeIn(text: string): number {
    const time = Date.parse(text);
    if (!Number.isNaN(time)) return time;
    throw new RangeError(
      `The clock cannot be set to "${text.slice(0, 40)}". Use a time such as 2030-01-01T00:00:00Z; leap seconds are not supported.`,
    );
  }

  return [
    {
      method: 'GET',
      path: '/__mock/clock',
      oneReplica: WHY.nextExpiry,
      answer: view,
    },
    {
      method: 'PUT',
      path: '/__mock/clock',
      oneReplica: WHY.clock,
      realService: WHY_SERVICE.clock,
      takes: 'Move',
      answer({ body }) {
        move(body);
        return view();
      },
    },
  ];
}
