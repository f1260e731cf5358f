/** Where the body of the data comes from: a schedule or a file. */

export interface Records {
  /** The body of the data at a moment, in milliseconds since the epoch. The same buffer while the body is the same. */
  body(nowMs: number): Buffer;
}
