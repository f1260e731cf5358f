/** What the first process and its workers say to each other. */

import type { Ready } from './ready-file.ts';
import type { Keys } from './start-from-flags.ts';

export type ToWorker =
  /** The keys that all workers share, the process to end them by, and a port instead of that of the options. */
  | { kind: 'start'; keys: Keys; pid: number; port?: number | undefined }
  /** The opening is printed, so that lines for calls may follow. */
  | { kind: 'print' }
  | { kind: 'end' };

export type FromWorker =
  /** It hears messages from now on. */
  | { kind: 'loaded' }
  /** It listens. */
  | { kind: 'ready'; ready: Ready; opening: string };
