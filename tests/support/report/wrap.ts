/** `text` in lines of at most `width` characters. What came from outside brings no control characters with it. */
export function wrap(text: string, width: number): string[] {
  const words = text
    .replace(/[\p{Cc}\p{Cf}]/gu, ' ')
    .split(/\s+/)
    .filter(Boolean);
  const lines: string[] = [];
  for (const word of words.flatMap((long) => long.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [])) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width)
      lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines.length > 0 ? lines : [''];
}
