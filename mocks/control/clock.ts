/** /__mock/clock: the mock's time. */

import type { Duration } from '../contract/control-types.ts';
import { timeText } from '../state/clock.ts';
import { secondsIn } from '../state/duration.ts';
import type { State } from '../state/state.ts';
import type { Reply } from '../wire/reply.ts';
import { Refusal, told } from './answer.ts';
import { clientNamed } from './lookup.ts';
import type { ControlRoute } from './route.ts';

/** As control.openapi.yaml has it. */
interface Move {
  action: 'freeze' | 'resume' | 'advance' | 'set' | 'scale' | 'reset';
  by?: Duration;
  until?: 'next-expiry';
  client?: string;
  delta?: Duration;
  to?: string;
  factor?: number;
}

export function clockRoutes(state: State): ControlRoute[] {
  const { clock, tokens } = state;

  function tell(): Reply {
    const next = tokens.nextExpiry();
    return told({
      mode: clock.mode,
      now: timeText(clock.now()),
      scale: clock.scale,
      ...(next !== undefined && { nextExpiry: timeText(next) }),
    });
  }

  function move({ action, by = 0, until, client, delta = 0, to = '', factor = 1 }: Move): void {
    if (action === 'freeze') clock.freeze();
    else if (action === 'resume') clock.resume();
    else if (action === 'reset') clock.reset();
    else if (action === 'scale') clock.setScale(factor);
    else if (action === 'set') clock.set(Date.parse(to));
    else if (until === undefined) clock.advance(secondsIn(by));
    else if (!state.advanceToExpiry(client === undefined ? undefined : clientNamed(state, client), delta))
      throw new Refusal(409, 'conflict', 'Nothing was done: no token is alive that could expire next.');
  }

  return [
    { method: 'GET', path: '/__mock/clock', answer: tell },
    {
      method: 'PUT',
      path: '/__mock/clock',
      takes: 'Move',
      answer({ body }) {
        move(body);
        return tell();
      },
    },
  ];
}
