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
  expectEachHealthCheck(evidence, (plain) => {
    const { status } = plain.response;
    if (status === 404 || status === 410) violates('a health check at this path', plain);
    show(plain);
  });
});

test('MRS-4.3b the health checks answer without a token', ({ evidence }) => {
  expectEachHealthCheck(evidence, (plain, withToken) => {
    const { status } = plain.response;
    if (status === 404 || status === 410) couldNotRun(`${inWords(plain)} (see MRS-4.3a).`);
    if (status === 401 || (withToken && answers(withToken))) violates('an answer without a token', plain);
    if (!answers(plain)) couldNotRun(`${inWords(plain)}. It does not say that a token is asked for.`);
    show(plain);
  });
});

/** A service that is not well may say so with 503. */
const answers = ({ response: { status } }: Answered) => (status >= 200 && status <= 299) || status === 503;
