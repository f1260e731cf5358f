/** Answers as they came over one connection, told apart. */
export interface Answered {
  status: number;
  /** Names in small letters. */
  headers: Record<string, string>;
  body: string;
}

/** Whether the mock gave it, and not Node.js in its place: those have no content type. */
export const isOwn = ({ status, headers }: Answered): boolean => status === 204 || 'content-type' in headers;

/**
 * The answers in `text`, whose characters are bytes; an answer that is not whole yet is left out, and so are
 * interim ones. `methods` are those of the requests that the mock itself answers: those to HEAD have no body.
 * Those of Node.js are to none of them.
 */
export function answersIn(text: string, methods: readonly string[]): Answered[] {
  const answers: Answered[] = [];
  let rest = text;
  let own = 0;
  for (;;) {
    const end = rest.indexOf('\r\n\r\n');
    if (end === -1) return answers;
    const [line = '', ...fields] = rest.slice(0, end).split('\r\n');
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(line)?.[1]);
    const headers = Object.fromEntries(
      fields.map((field) => [
        field.slice(0, field.indexOf(':')).toLowerCase(),
        field.slice(field.indexOf(':') + 2),
      ]),
    );
    rest = rest.slice(end + 4);
    if (status === 100) continue;
    const length = lengthOf(headers, methods[own]);
    if (rest.length < length) return answers;
    const answer = { status, headers, body: rest.slice(0, length) };
    if (isOwn(answer)) own++;
    answers.push(answer);
    rest = rest.slice(length);
  }
}

function lengthOf(headers: Record<string, string>, method: string | undefined): number {
  if (headers['transfer-encoding']) return '0\r\n\r\n'.length; // Node's own refusals have empty bodies
  return method === 'HEAD' && headers['content-type'] ? 0 : Number(headers['content-length'] ?? 0);
}
