/** Commands that show a failure again. Pasted into bash, they repeat what led to the answer, waits included. */

import { inOneLine } from '../../report/text.ts';
import { wrap } from '../../report/wrap.ts';
import type { Exchange } from '../support/evidence.ts';
import { curlFor, forgery, setVariables, statusCommand, tokenCommand } from './curl.ts';
import type { JudgedRequirement, Report } from './report.ts';

/** Columns of a terminal. */
const WIDTH = 80;
/** Shorter pauses are the suite's own: it spares the deployment. */
const PAUSE_SECONDS = 0.7;
/** From here on, waits are in whole seconds. */
const LONG_WAIT_SECONDS = 10;

/** What has to be known of a run. */
type Run = Pick<Report, 'exchanges' | 'target'>;

interface Step {
  exchange: Exchange;
  waitSeconds: number;
  /** How often it is sent. */
  times: number;
}

/**
 * The commands for a failed requirement: those before the deciding request that its answer may depend on, the waits
 * between them, and the request itself. Undefined where no exchange decided.
 */
export function reproductionOf(
  { verdict, evidence }: Pick<JudgedRequirement, 'verdict' | 'evidence'>,
  run: Run,
): string | undefined {
  const deciding = run.exchanges.find(({ id }) => id === evidence.exchanges[0]);
  if (verdict !== 'failed' || !deciding) return undefined;
  const history = [...tokenFirst(deciding, run), ...historyOf(deciding, run.exchanges)];
  const forms = history.filter(takesToken);
  const steps = stepsOf([...history, deciding], run);
  const commands = [
    ...(forms.length > 1 ? [defineToken(forms[0] as Exchange, run)] : []),
    ...steps.map((step) => commandsOf(step, deciding, forms.length > 1, run)),
  ];
  const lines = [setVariables(commands.join('\n'), run.target), ...commands].join('\n\n');
  // A group ends where a variable is not set, also in an interactive shell.
  return `(\n${lines}\n)`;
}

/**
 * The requests that the answer may depend on. With a token that the run obtained, those are all before it with such
 * tokens, and the forms that obtained them; otherwise equal requests that were answered with another status.
 */
function historyOf(deciding: Exchange, all: readonly Exchange[]): Exchange[] {
  const before = all.slice(0, all.indexOf(deciding));
  if (isStory(deciding))
    return before.filter((one) => isValidForm(one) || (isStory(one) && isOfPath(one, deciding)));
  const key = kindOf(deciding);
  const equal = before.filter((one) => kindOf(one) === key);
  return equal.some((one) => one.response?.status !== deciding.response?.status) ? equal : [];
}

/** Where the deciding request needs a token that its history does not obtain: the form for one. */
function tokenFirst(deciding: Exchange, { exchanges }: Run): Exchange[] {
  const authorization = authorizationOf(deciding);
  if (!/‹token, .*›$/.test(authorization)) return [];
  return exchanges.filter((one) => isValidForm(one) && takesToken(one)).slice(0, 1);
}

/** The health checks, too, are asked with a token, and have no influence on another path. */
const isOfPath = ({ request }: Exchange, deciding: Exchange): boolean =>
  deciding.request.form !== undefined || request.path === deciding.request.path;

const authorizationOf = ({ request }: Exchange): string =>
  request.headers.find(([name]) => name === 'authorization')?.[1] ?? '';

const isValidForm = ({ request: { form } }: Exchange): boolean =>
  form?.grant_type === 'client_credentials' && form.client_secret === '‹client secret›';

const takesToken = (exchange: Exchange): boolean => {
  const { issued, takenFrom } = exchange.response?.tokenResponse ?? {};
  return isValidForm(exchange) && (issued === true || takenFrom !== undefined);
};

/** Part of what a client does: a form with valid credentials, or a request with a token that was issued. */
const isStory = (exchange: Exchange): boolean =>
  isValidForm(exchange) || /‹(token \d+|expired token)›$/.test(authorizationOf(exchange));

const requestOf = ({ request: { method, path, headers, form } }: Exchange): string =>
  JSON.stringify([method, path, headers.filter(([name]) => name !== 'user-agent'), form]);

/** The same for requests that differ only in random characters, or in how their secret is wrong. */
const kindOf = (exchange: Exchange): string =>
  requestOf(exchange)
    .replace(/Bearer [\w-]{32}"/, 'Bearer random"')
    .replace(/‹client secret, [^›]*›/, '‹wrong secret›');

/** Equal requests without a wait between them become one step. */
function stepsOf(exchanges: readonly Exchange[], { target }: Run): Step[] {
  const steps: Step[] = [];
  const lifetime = target.tokenLifetimeSeconds ?? 0;
  let sleptSeconds = 0;
  /** What passed by the clock of the mock. */
  let hiddenSeconds = 0;
  for (const [at, exchange] of exchanges.entries()) {
    const sinceStart = (exchange.sentAtMs - (exchanges[0]?.sentAtMs ?? 0)) / 1000;
    const isLast = at === exchanges.length - 1;
    // Without a token of its own to grow old, only a pause within the history counts.
    const passed = isLast && !isStory(exchange) ? 0 : sinceStart;
    const expiredAfter = EXPIRED.test(exchange.what) ? lifetime : 0;
    if (passed + hiddenSeconds < expiredAfter) hiddenSeconds = expiredAfter - passed + 0.5;
    const left = passed + hiddenSeconds - sleptSeconds;
    const waitSeconds = left >= PAUSE_SECONDS ? roundedUp(left) : 0;
    sleptSeconds += waitSeconds;
    const last = steps.at(-1);
    if (
      last &&
      waitSeconds === 0 &&
      !isLast &&
      !takesToken(exchange) &&
      kindOf(last.exchange) === kindOf(exchange)
    )
      last.times++;
    else steps.push({ exchange, waitSeconds, times: 1 });
  }
  return steps;
}

const roundedUp = (seconds: number): number =>
  seconds < LONG_WAIT_SECONDS ? Math.ceil(seconds * 10) / 10 : Math.ceil(seconds);

/** As the rows of requests call it. */
const EXPIRED = /^the data with the expired token/;

function commandsOf(
  { exchange, waitSeconds, times }: Step,
  deciding: Exchange,
  isDefined: boolean,
  { target }: Run,
): string {
  const wait = waitSeconds > 0 ? `${comment('wait as long as the run did')}\nsleep ${waitSeconds}\n\n` : '';
  const shown = named(exchange, deciding);
  if (exchange === deciding)
    return [`${wait}${comment(exchange.what)}`, ...forgery(exchange), curlFor(shown, target, WIDTH)].join(
      '\n',
    );
  if (takesToken(exchange)) {
    const command = isDefined ? 'token' : tokenCommand(exchange, target, WIDTH);
    return `${wait}${comment(`${exchange.what}, for a token`)}\n${variableFor(exchange, deciding)}=$(${command})`;
  }
  const heading = comment(exchange.what + (times > 1 ? `, ${times} times` : ''));
  return `${wait}${heading}\n${statusCommand(shown, target, times, WIDTH)}`;
}

const defineToken = (form: Exchange, { target }: Run): string =>
  `${comment('prints a token')}\ntoken() {\n${tokenCommand(form, target, WIDTH - 2).replace(/^/gm, '  ')}\n}`;

/** The variable for the token that a form obtains: TOKEN, unless the deciding request has another one. */
function variableFor(form: Exchange, deciding: Exchange): string {
  const number = /‹token (\d+)›/.exec(form.response?.excerpt ?? '')?.[1];
  return number === undefined || isOwn(number, deciding) ? 'TOKEN' : `TOKEN_${number}`;
}

function isOwn(number: string, deciding: Exchange): boolean {
  const own = /‹token (\d+)›$/.exec(authorizationOf(deciding))?.[1];
  return own === undefined || own === number;
}

/** The exchange with a name of its own for each token but that of the deciding request. */
function named(exchange: Exchange, deciding: Exchange): Exchange {
  const number = /‹token (\d+)›$/.exec(authorizationOf(exchange))?.[1];
  if (number === undefined || isOwn(number, deciding)) return exchange;
  const headers = exchange.request.headers.map(([name, value]): [string, string] => [
    name,
    name === 'authorization' ? value.replace(/‹token (\d+)›$/, '‹other token $1›') : value,
  ]);
  return { ...exchange, request: { ...exchange.request, headers } };
}

/** Every line of it begins with a number sign. */
const comment = (text: string): string =>
  wrap(inOneLine(text), WIDTH - 2)
    .map((line) => `# ${line}`)
    .join('\n');
