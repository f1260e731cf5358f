/** The schemas of a profile's answers, compiled with Ajv: in which ways a body is another one than declared. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Mismatch } from '../support/contract.ts';
import type { Profile } from '../support/declared.ts';

/** The most differences that are reported of one body. */
const MOST = 20;

/** Empty where the body is as the schema at `pointer` of the merged contract has it. */
export type Misfit = (pointer: string, body: unknown) => Mismatch[];

export function createMisfit({ document }: Profile): Misfit {
  const ajv = new Ajv2020({ strict: false, logger: false });
  addFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  const compiled = new Map<string, ValidateFunction>();
  return (pointer, body) => {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `contract#${encodeURI(pointer)}` });
    compiled.set(pointer, validate);
    if (validate(body)) return [];
    return (validate.errors ?? []).slice(0, MOST).map(({ instancePath, keyword, message = '', params }) => ({
      pointer: instancePath,
      keyword,
      message: `${message}${'additionalProperty' in params ? `: ${params.additionalProperty}` : ''}`.slice(
        0,
        200,
      ),
    }));
  };
}
