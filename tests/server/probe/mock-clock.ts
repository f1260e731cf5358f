/** The clock of this package's own mock, moved over its control: mocks/control.openapi.yaml. */
import type { Http } from './http.ts';

/** Moves it on by `seconds`. What is returned is why it could not be moved, as a sentence; undefined if it was. */
export type AdvanceClock = (seconds: number) => Promise<string | undefined>;

/** `headers` are sent in addition. */
export function createAdvanceClock(
  baseUrl: string,
  key: string,
  http: Http,
  headers: Record<string, string> = {},
): AdvanceClock {
  const url = new URL('/__mock/clock', baseUrl).href;
  return async (seconds) => {
    const answer = await http.exchange({
      method: 'PUT',
      url,
      headers: { ...headers, authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ action: 'advance', by: seconds }),
    });
    if ('failure' in answer) return `The clock of the mock was not moved: ${url} ${answer.failure}.`;
    if (answer.status === 200) return undefined;
    return (
      `The clock of the mock was not moved: ${url} answered ${answer.status}. ` +
      'Give MRS_MOCK_CONTROL_KEY for a mock that was started with this key, and for nothing else.'
    );
  };
}
