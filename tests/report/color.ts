/** Whether text for a stream is coloured: FORCE_COLOR and NO_COLOR decide before what the stream is. */
export function usesColor(stream: { isTTY?: boolean }, env: NodeJS.ProcessEnv): boolean {
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== '0';
  return stream.isTTY === true && !env.NO_COLOR;
}
