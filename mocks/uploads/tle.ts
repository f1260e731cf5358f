/** Orbital elements as text: for each satellite its name and two lines of 69 columns. */

/** What came of a file: how many records were in it, or why it cannot be used, as a sentence. */
export type UploadResult = { records: number } | { fault: string };

/** Three-line element sets. The lines may end with CRLF, and a name may begin with "0 ". */
export function readTle(text: string): UploadResult {
  const lines = text
    .replace(/(\r?\n)+$/, '')
    .split(/\r?\n/)
    .map((line) => line.trimEnd());
  if (lines.join('') === '')
    return { fault: 'The file is empty. Send a name and two lines for each satellite.' };
  for (let nth = 0; nth < lines.length; nth += 3) {
    const fault = elementSetProblem(lines.slice(nth, nth + 3), nth + 1);
    if (fault) return { fault };
  }
  return { records: lines.length / 3 };
}

/** `first` is the number of its first line in the file. */
function elementSetProblem([name = '', one, two]: string[], first: number): string | undefined {
  if (name === '') return `Line ${first} is empty. A satellite's name is due there.`;
  if (/^[12] .{67}$/.test(name))
    return `Line ${first} is one of elements. A line with the satellite's name is due before the two.`;
  return (
    elementLineProblem(one, 1, first + 1) ??
    elementLineProblem(two, 2, first + 2) ??
    (one?.slice(2, 7) === two?.slice(2, 7)
      ? undefined
      : `Lines ${first + 1} and ${first + 2} are of different satellites. Give both lines of one.`)
  );
}

function elementLineProblem(line: string | undefined, number: 1 | 2, at: number): string | undefined {
  const due = `Line ${number} of the elements is due there.`;
  if (line === undefined) return `The file ends before line ${at}. ${due}`;
  if (line.length !== 69) return `Line ${at} has ${line.length} columns, and not 69. ${due}`;
  if (!line.startsWith(`${number} `)) return `Line ${at} does not begin with "${number} ". ${due}`;
  if (!/^[\dA-HJ-NP-Z ][\d ]{3}\d$/.test(line.slice(2, 7)))
    return `Line ${at} has no catalogue number in columns 3 to 7. ${due}`;
  const sum = checksum(line);
  if (line[68] === String(sum)) return undefined;
  return `Line ${at} ends with the checksum ${line[68]}, and its columns make ${sum}. Send it unchanged.`;
}

/** Digits count as they are, a minus sign as 1, and all else as nothing. */
const checksum = (line: string): number =>
  [...line.slice(0, 68)].reduce((sum, one) => sum + (one === '-' ? 1 : Number(one) || 0), 0) % 10;
