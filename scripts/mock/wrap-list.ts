/** Words and phrases in lines that fit a terminal. */
const WIDTH = 80;

/** `parts` with `separator` or `lineBreak` between them, so that lines fit the width where the parts do. */
export function joined(parts: string[], separator: string, lineBreak = '\n'): string {
  const width = WIDTH - lineBreak.length;
  const done: string[] = [];
  for (const part of parts) {
    const longer = `${done.at(-1)}${separator}${part}`;
    if (done.length > 0 && longer.length <= width) done[done.length - 1] = longer;
    else done.push(part);
  }
  return done.join(lineBreak);
}
