/** Which of the mock's scenarios the proxy can play on a real service: those that refuse, delay or reset. */
import type { Step } from '../../mocks/contract/control-types.ts';
import type { Scenario, Terms } from '../../mocks/scenarios.ts';
import { scenarios } from '../../mocks/scenarios.ts';
import { UsageError } from '../../tests/support/usage-error.ts';

export interface Injectable extends Pick<Scenario, 'name' | 'summary'> {
  terms: Terms;
}

/** What the proxy does in place of the service. Everything else would change an answer of the service. */
const ACTIONS: readonly string[] = ['expire', 'revoke', 'expireOthers', 'answer', 'delay', 'reset'];
const TERMS: readonly string[] = ['script', 'tokenLifetime', 'jitter'];

const isPlayable = ({ do: action }: Step): boolean =>
  Object.keys(action).every((name) => ACTIONS.includes(name)) && (action.answer?.status ?? 400) >= 400;

/** The scenarios that can be injected, as they are at this time, in milliseconds since 1970. */
export const injectableAt = (now: number): Injectable[] =>
  scenarios.flatMap(({ name, summary, terms: termsOf }) => {
    const terms = termsOf({ now, renewal: 2 });
    const isChange = terms.script !== undefined || terms.tokenLifetime !== undefined;
    const isOurs = Object.keys(terms).every((key) => TERMS.includes(key));
    return isChange && isOurs && (terms.script ?? []).every(isPlayable) ? [{ name, summary, terms }] : [];
  });

/** Throws UsageError for a scenario that cannot be injected. */
export function injectableNamed(name: string): Injectable {
  const all = injectableAt(Date.now());
  const found = all.find((one) => one.name === name.replace(/^demo-/, ''));
  if (found) return found;
  throw new UsageError(
    `--inject is "${name.slice(0, 100)}", which is not a scenario that the proxy can play. It can play ${all.map((one) => one.name).join(', ')}.`,
  );
}
