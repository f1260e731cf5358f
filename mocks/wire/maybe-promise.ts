/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Continues at once with a value that is not a promise: an unneeded promise costs a busy server more than its answer. */
export const andThen = <Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> => (value instanceof Promise ? value.then(next) : next(value));
