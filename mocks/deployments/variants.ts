/**
 * Every variant: a deployment that differs only where the specification leaves a choice. It is conformant, or does not answer
 * all that it is asked.
 */
import { all, type Variant, variantsOf } from './deployment.ts';
import { dataVariants } from './variants/data.ts';
import { httpVariants } from './variants/http.ts';
import { profileVariants, recordVariants } from './variants/records.ts';
import { refusalVariants } from './variants/refusals.ts';
import { tokenVariants } from './variants/tokens.ts';

export const variants: readonly Variant[] = [
  ...variantsOf({ 'plain: behaves as the mock does': all }),
  ...refusalVariants,
  ...tokenVariants,
  ...dataVariants,
  ...httpVariants,
  ...profileVariants,
  ...recordVariants,
];
