/** Orbital elements as text: for each satellite its name and two lines of 69 columns. */

/** The result of reading a file: its number of records, or why it is invalid, as a sentence. */
export type UploadResult = { records: number } | { problem: string };

/** Reads three-line element sets. Lines may end with CRLF, and a name may begin with "0 ". */
export function readTle(text: string): UploadResult {
  const lines = text
    .replace(/(\r?\n)+$/, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  if (lines.join('') === '')
    return { problem: 'The file is empty. Send a name and two lines for each satellite.' };
  for (let nth = 0; nth < lines.length; nth += 3) {
    const problem = elementSetProblem(lines.slice(nth, nth + 3), nth + 1);
    if (problem) return { problem };
  }
  return { records: lines.length / 3 };
}

/** `first` is the number of the set's first line in the file. */
function elementSetProblem([name = '', one, two]: string[], first: number): string | undefined {
  if (name === '') return `Line ${first} is empty. Write the name of a satellite there.`;
  if (/^[12] .{67}$/.test(name))
    return `Line ${first} is a line of elements. Write a line with the satellite's name before the two.`;
  return (
    elementLineProblem(one, 1, first + 1) ??
    elementLineProblem(two, 2, first + 2) ??
    (one?.slice(2, 7) === two?.slice(2, 7)
      ? undefined
      : `Lines ${first + 1} and ${first + 2} are of different satellites. Write both lines of one.`)
  );
}

function elementLineProblem(line: string | undefined, number: 1 | 2, at: number): string | undefined {
  const hint = `Line ${number} of the elements is expected there.`;
  if (line === undefined) return `The file ends before line ${at}. ${hint}`;
  if (line.length !== 69) return `Line ${at} has ${line.length} columns, not 69. ${hint}`;
  if (!line.startsWith(`${number} `)) return `Line ${at} does not begin with "${number} ". ${hint}`;
  if (!/^[\dA-HJ-NP-Z ][\d ]{3}\d$/.test(line.slice(2, 7)))
    return `Line ${at} has no catalogue number in columns 3 to 7. ${hint}`;
  const sum = checksum(line);
  if (line[68] === String(sum)) return undefined;
  return `Line ${at} ends with the checksum ${line[68]}, but its columns add up to ${sum}. Send the line unchanged.`;
}

/** Digits count by their value, a minus sign as 1, all other characters as 0. */
const checksum = (line: string): number =>
  [...line.slice(0, 68)].reduce((sum, one) => sum + (one === '-' ? 1 : Number(one) || 0), 0) % 10;
