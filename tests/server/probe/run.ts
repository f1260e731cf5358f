/** What the requests of a run are sent with. */
import type { Clock } from '../../support/clock.ts';
import type { Secrets } from '../../support/secrets.ts';
import type { Profile } from '../support/declared.ts';
import type { Api } from './api.ts';
import type { AdvanceClock } from './mock-clock.ts';
import type { Target } from './target.ts';

export interface Run {
  target: Target;
  api: Api;
  secrets: Secrets;
  clock: Clock;
  /** Only where the deployment is this package's own mock. */
  advanceClock?: AdvanceClock;
  /** What the deployment declares about the open points. */
  profile?: Profile;
  /** Reports what is being asked or waited for. */
  progress(text: string): void;
}
