/** The life of a token, as far as recorded traffic shows it. Times are milliseconds on one axis. */
import { partitionPoint } from '../support/collections.ts';
import type { Timed } from './times.ts';

/**
 * A token that was issued or accepted in the recording. One that is issued again after it was refused begins a new life: the
 * specification does not say how values are chosen.
 */
export interface TokenLife {
  value: string;
  /** Counts from 1, in the order in which tokens came up. */
  number: number;
  /**
   * Of the request that it was issued for; absent where several clients were given it, and where it was issued before the
   * recording, unless the recording has one client only.
   */
  clientId?: string;
  /** Whether several clients were given it: nothing shows which of them sent it. */
  isShared: boolean;
  /** When it was asked for, and when it had come; absent where it was issued before the recording. */
  issued?: Timed;
  /** When it was handed out again, in order. */
  reissued: Timed[];
  /** Whether an earlier token had this value, and was refused before this one was issued. */
  isRepeated: boolean;
  /** When the last request that it opened was sent, and when that was answered. */
  accepted?: Timed;
  /**
   * The first request that was refused after the last that was accepted; one with a query only where a request with that
   * query was accepted, since another one may be refused for what it asks for.
   */
  refused?: Timed & { status: number };
  /** Whether the refusal is that of an expired token. */
  hasExpired: boolean;
  /** When a newer token was issued to the same client, before this one was refused. */
  isSuperseded: boolean;
}

/** When a token was handed out last before this time; undefined where it was issued before the recording. */
export function lastIssueOf({ issued, reissued }: TokenLife, byMs: number): Timed | undefined {
  const before = partitionPoint(reissued.length, (at) => (reissued[at]?.startMs ?? 0) > byMs);
  return issued && (reissued[before - 1] ?? issued);
}
