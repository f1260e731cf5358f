/** A value that is there already, or will be. */
export type Soon<Value> = Value | Promise<Value>;

/** Goes on at once where the value is there: a promise for nothing costs a busy server more than its answer does. */
export const whenThere = <Value, Result>(
  value: Soon<Value>,
  next: (value: Value) => Soon<Result>,
): Soon<Result> => (value instanceof Promise ? value.then(next) : next(value));
