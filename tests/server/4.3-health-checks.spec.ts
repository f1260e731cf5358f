import {
  type Answered,
  answered,
  couldNotRun,
  expectEachHealthCheck,
  inWords,
  isSuccess,
  show,
  test,
  violates,
} from './support/test.ts';

test('MRS-4.3a the health checks exist', ({ evidence }) => {
  expectEachHealthCheck(evidence, (plain, probe) => {
    if (answers(plain)) return show(plain);
    const withToken = probe && answered(probe);
    const seen = withToken ? [plain, withToken] : [plain];
    // One that hides from whom it does not know exists; one that asks who is there before it says 404 does not.
    const isMissing = withToken ? isGone(withToken) || (isGone(plain) && !answers(withToken)) : isGone(plain);
    if (isMissing)
      violates('a health check at this path; check MRS_HEALTH_PATHS first, which names it', ...seen);
    if (isFault(plain)) couldNotRun(`${inWords(plain)}. It does not tell whether a health check is there.`);
    show(...seen);
  });
});

test('MRS-4.3b the health checks answer without a token', ({ evidence }) => {
  expectEachHealthCheck(evidence, (plain, probe) => {
    if (answers(plain)) {
      show(plain);
      if (probe && 'response' in probe && maySayRefused(plain, answered(probe)))
        couldNotRun(`${inWords(plain)}. With a token the answer is another one, so this may be a refusal.`);
      return;
    }
    const withToken = probe && answered(probe);
    const seen = withToken ? [plain, withToken] : [plain];
    if (withToken && answers(withToken)) violates('an answer without a token', ...seen);
    const missing = [withToken, plain].find((one) => one && isGone(one));
    if (missing) couldNotRun(`${inWords(missing)} (see MRS-4.3a).`);
    if (plain.response.status === 401) violates('an answer without a token', ...seen);
    couldNotRun(`${inWords(plain)}. It does not say that a token is asked for.`);
  });
});

const isGone = ({ response: { status } }: Answered) => status === 404 || status === 410;

/** A service that is not well may say so with 503. */
const answers = (exchange: Answered) => isSuccess(exchange) || exchange.response.status === 503;

/** An answer of what stands before the health check, or of one that broke down: 408, 429, and any 5xx but 503. */
const isFault = (exchange: Answered) =>
  [408, 429].includes(exchange.response.status) || exchange.response.status >= 500;

/** A page, or an error, where who has a token gets JSON without one. More detail for who has a token is no refusal. */
function maySayRefused(plain: Answered, withToken: Answered): boolean {
  if (!isSuccess(plain) || !isSuccess(withToken) || !withToken.response.json.wellFormed) return false;
  const { json, bodyBytes } = plain.response;
  if (!json.wellFormed) return bodyBytes > 0 && plain.response.mediaType === 'text/html';
  const saysError = ({ fields = [] }: { fields?: string[] }) =>
    fields.some((field) => /^errors?$/i.test(field));
  return saysError(json) && !saysError(withToken.response.json);
}
