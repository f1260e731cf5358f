/** Validates scripts: an answer that the contract does not define has to be marked with `outsideContract`. */

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type Answer, answers } from '../contract/answers.ts';
import { type Contract, responseOf } from '../contract/contract.ts';
import type { ScriptedOperation, Step } from '../contract/control-types.ts';

/** Headers that frame the answer (RFC 9112 section 6); with different values a client could not read it. */
const FRAMING = new Set([
  'connection',
  'content-length',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'keep-alive',
]);

/** Deeper values could not be copied. */
const DEEPEST = 100;

const isDeep = (value: unknown, left = DEEPEST): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (left === 0 || Object.values(value).some((one) => isDeep(one, left - 1)));

/** Why the script is invalid, in words; undefined if it is valid. */
export function scriptProblem(contract: Contract, steps: readonly Step[]): string | undefined {
  if (isDeep(steps)) return `it is nested more than ${DEEPEST} levels deep`;
  for (const [index, step] of steps.entries()) {
    const framing = Object.keys(step.do.answer?.headers ?? {}).find((name) =>
      FRAMING.has(name.toLowerCase()),
    );
    if (framing)
      return `step ${index + 1}: the header ${framing} frames the answer, which the mock does itself. Remove it.`;
    const fault = step.outsideContract ? undefined : stepProblem(contract, step);
    if (fault)
      return `step ${index + 1}: ${fault}. Change it, or add outsideContract: true if it is intended.`;
  }
  return undefined;
}

function stepProblem(contract: Contract, { on = 'readData', do: action }: Step): string | undefined {
  const { answer, add } = action;
  if (answer) {
    const { status, example, body } = answer;
    const described = `${on} with ${status}`;
    if (!responseOf(contract, on, status)) return `the contract does not answer ${described}`;
    if (body !== undefined) {
      const misfit = schemaProblem(contract, on, status, body);
      if (misfit) return `the contract does not answer ${described} and this body: ${misfit}`;
    } else if (!documented(on, status, example))
      return `the contract has no example "${example}" where it answers ${described}`;
  }
  if (add) {
    const [status, body] =
      on === 'readData' ? [200, { ods_data: [], ...add }] : [200, { token: 'x', ...add }];
    const misfit = schemaProblem(contract, on, status, body);
    if (misfit) return `the contract does not answer ${on} with these members: ${misfit}`;
  }
  return undefined;
}

/** The documented answer that a step names; without a name, the first one of its status. */
export const documented = (on: ScriptedOperation, status: number, example?: string): Answer | undefined =>
  Object.values(answers).find(
    (one) => one.operation === on && one.status === status && one.example === (example ?? one.example),
  );

function schemaProblem(
  contract: Contract,
  on: ScriptedOperation,
  status: number,
  body: unknown,
): string | undefined {
  if (typeof body === 'string') return 'it is text, not JSON';
  const validate = validatorOf(contract, on, status);
  return validate(body) ? undefined : new Ajv2020().errorsText(validate.errors, { dataVar: 'the body' });
}

const validators = new WeakMap<Contract, Map<string, ValidateFunction>>();

/** Compiled once: a script may have a thousand steps. */
function validatorOf(contract: Contract, on: ScriptedOperation, status: number): ValidateFunction {
  const ofContract = validators.get(contract) ?? new Map<string, ValidateFunction>();
  validators.set(contract, ofContract);
  const key = `${on} ${status}`;
  const known = ofContract.get(key);
  if (known) return known;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, logger: false });
  const made = ajv.compile({
    ...responseOf(contract, on, status),
    components: contract.document.components,
  });
  ofContract.set(key, made);
  return made;
}
