import {
  type Answered,
  couldNotRun,
  expectEachHealthCheck,
  inWords,
  show,
  test,
  violates,
} from './support/test.ts';

test('MRS-4.3a the health checks exist', ({ evidence }) => {
  expectEachHealthCheck(evidence, (plain, withToken) => {
    if (isGone(plain) && !(withToken && answers(withToken))) violates('a health check at this path', plain);
    show(plain, ...(withToken ? [withToken] : []));
  });
});

test('MRS-4.3b the health checks answer without a token', ({ evidence }) => {
  expectEachHealthCheck(evidence, (plain, withToken) => {
    if (plain.response.status === 401 || (withToken && answers(withToken)))
      violates('an answer without a token', plain, ...(withToken ? [withToken] : []));
    if (isGone(plain)) couldNotRun(`${inWords(plain)} (see MRS-4.3a).`);
    if (!answers(plain)) couldNotRun(`${inWords(plain)}. It does not say that a token is asked for.`);
    show(plain);
  });
});

const isGone = ({ response: { status } }: Answered) => status === 404 || status === 410;

/** A service that is not well may say so with 503. */
const answers = ({ response: { status } }: Answered) => (status >= 200 && status <= 299) || status === 503;
