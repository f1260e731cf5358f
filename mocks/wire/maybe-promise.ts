/** A value that is there already, or will be. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Goes on at once where the value is there: a promise for nothing costs a busy server more than its answer does. */
export const andThen = <Value, Result>(
  value: MaybePromise<Value>,
  next: (value: Value) => MaybePromise<Result>,
): MaybePromise<Result> => (value instanceof Promise ? value.then(next) : next(value));
