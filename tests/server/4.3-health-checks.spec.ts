/** Clause 4.3: the health checks. */
import { requirement, test } from './suite.ts';
import { decidedHealth, settled } from './support/condition.ts';
import { type Answered, inWords, isSuccess } from './support/evidence.ts';
import { decision } from './support/expectations.ts';
import {
  couldNotRun,
  failed,
  type Judgement,
  type JudgeShown,
  passed,
  type Shown,
} from './support/judgement.ts';

/** The specification shows no path, so a run cannot know which of the two it is. */
const MISSING_OR_WRONG =
  'Either the path is wrong, or the health check is missing. Correct --health-paths (MRS_HEALTH_PATHS), or report it to the operator.';

test(
  ...requirement(
    'MRS-4.3a',
    ['healthy'],
    nextToToken((plain, withToken, { isStated }) => {
      if (answers(plain)) return passed(plain);
      const seen = withToken ? [plain, withToken] : [plain];
      // One that hides from clients it does not know exists; one that asks for a token before it says 404 does not.
      const isMissing = withToken
        ? isGone(withToken) || (isGone(plain) && !answers(withToken))
        : isGone(plain);
      if (isMissing && isStated)
        return failed('a health check at this path, which the profile states', ...seen);
      if (isMissing) return couldNotRun(`${inWords(seen.at(-1) ?? plain)}. ${MISSING_OR_WRONG}`, ...seen);
      if (isFault(plain))
        return couldNotRun(`${inWords(plain)}. It does not show whether a health check exists.`);
      return passed(...seen);
    }),
  ),
);

test(
  ...requirement(
    'MRS-4.3b',
    ['healthy'],
    nextToToken((plain, withToken) => {
      if (answers(plain))
        return withToken && mayBeRefusal(plain, withToken)
          ? couldNotRun(
              `${inWords(plain)}. With a token the answer is another one, so this may be a refusal.`,
              plain,
            )
          : passed(plain);
      const seen = withToken ? [plain, withToken] : [plain];
      if (withToken && answers(withToken)) return failed('an answer without a token', ...seen);
      const missing = [withToken, plain].find((one) => one && isGone(one));
      if (missing) return couldNotRun(`${inWords(missing)} (see MRS-4.3a).`);
      if (plain.response.status === 401) return failed('an answer without a token', ...seen);
      return couldNotRun(`${inWords(plain)}. It does not say that a token is asked for.`);
    }),
  ),
);

/** Judges a health check next to the same with a token. One that answers without a token can be judged by itself. */
function nextToToken(
  judge: (plain: Answered, withToken: Answered | undefined, shown: Shown) => Judgement,
): JudgeShown {
  return decision((plain, shown) => {
    const second = shown.withToken && decidedHealth(shown.withToken, settled);
    if (second && 'verdict' in second) return answers(plain) ? judge(plain, undefined, shown) : second;
    return judge(plain, second, shown);
  });
}

const isGone = ({ response: { status } }: Answered) => status === 404 || status === 410;

const answers = (exchange: Answered) => isSuccess(exchange) || exchange.response.status === 503;

/** An answer from one that broke down. */
const isFault = ({ response: { status } }: Answered) => status >= 500;

/**
 * A page, an error or 503, where a client with a token gets another answer. More detail with a token is not a refusal.
 */
function mayBeRefusal(plain: Answered, withToken: Answered): boolean {
  if (!isSuccess(withToken)) return false;
  if (!isSuccess(plain)) return true;
  if (!withToken.response.json.wellFormed) return false;
  const { json, bodyBytes } = plain.response;
  if (!json.wellFormed) return bodyBytes > 0 && plain.response.mediaType === 'text/html';
  const saysError = ({ fields = [] }: { fields?: string[] }) =>
    fields.some((field) => /^errors?$/i.test(field));
  return saysError(json) && !saysError(withToken.response.json);
}
