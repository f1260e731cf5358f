/** Where the body of the data comes from: a schedule, or a file. */

export interface Records {
  /** The body of the data at a moment, in milliseconds since the epoch. The same buffer while it is the same body. */
  body(nowMs: number): Buffer;
}
