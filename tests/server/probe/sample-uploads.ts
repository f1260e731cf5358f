/** Sample files for uploads: small, well-formed, and named as test files. */

export interface SampleFile {
  name: string;
  mediaType: string;
  text: string;
}

/** By the kind that a profile gives an upload (`x-upload`). `now` is the date that they are about. */
export function sampleFile(kind: string, now: Date): SampleFile | undefined {
  if (kind === 'tle') return { name: 'mrs-contract-test.txt', mediaType: 'text/plain', text: elements(now) };
  if (kind === 'avoidance-log') {
    // Of a day on which none of the satellites was there, so that it is not taken for a real event.
    const day = '1999-01-01';
    return {
      name: `VLA_mrs_contract_test_${day}_to_${day}.csv`,
      mediaType: 'text/csv',
      text:
        'utc_time,freq_lower_mhz,freq_upper_mhz,avoidance_type,angular_threshold,sat_id\n' +
        `${day} 00:00:00,1990,1995,outer,5.0,99999\n${day} 00:00:15,1990,1995,inner,0.5,99999\n`,
    };
  }
  return undefined;
}

/** Two satellites that do not exist, as three-line elements. */
function elements(now: Date): string {
  const yearStart = Date.UTC(now.getUTCFullYear(), 0, 1);
  const day = ((now.getTime() - yearStart) / 86_400_000 + 1).toFixed(8).padStart(12, '0');
  const epoch = String(now.getUTCFullYear() % 100).padStart(2, '0') + day;
  return [99998, 99999]
    .flatMap((number) => [
      `MRS CONTRACT TEST ${number}`,
      checked(`1 ${number}U 26001A   ${epoch}  .00000000  00000+0  00000+0 0  999`),
      checked(`2 ${number}  53.0000 100.0000 0001000  90.0000 270.0000 15.06000000    1`),
    ])
    .map((line) => `${line}\n`)
    .join('');
}

/** The line with its checksum appended: the sum of its digits, and one for each minus, modulo 10. */
function checked(line: string): string {
  const sum = [...line].reduce(
    (total, one) => total + (one === '-' ? 1 : /\d/.test(one) ? Number(one) : 0),
    0,
  );
  return line + (sum % 10);
}

/** A body of multipart/form-data with one file (RFC 7578). */
export function multipart(field: string, { name, mediaType, text }: SampleFile, boundary: string): string {
  const head = `content-disposition: form-data; name="${field}"; filename="${name}"\r\ncontent-type: ${mediaType}`;
  return `--${boundary}\r\n${head}\r\n\r\n${text}\r\n--${boundary}--\r\n`;
}
