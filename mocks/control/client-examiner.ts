/** Where a judge of clients is plugged in. The mock has none: it hands over what a client did, and serves the verdict. */
import type { Traffic } from '../journal/traffic.ts';

/** A client, with all that the journal holds of it. */
export interface ObservedClient {
  id: string;
  /** In seconds, of its first token, its second and so on; the last is for all that follow. */
  tokenLifetimesSeconds: readonly number[];
  /** Number of processes that share its id. */
  processes: number;
  traffic: Traffic;
}

export interface ClientExaminer {
  /** The verdict on what the client did, for `GET /__mock/certificate`. */
  certificate(client: ObservedClient): object;
}
