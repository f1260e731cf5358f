/**
 * Every variant: a deployment that differs only where the specification leaves a choice. It is conformant, or does not answer
 * all that it is asked.
 */
import { all, type Deployment, variantsOf } from './deployment.ts';
import { dataVariants, profileVariants, recordVariants } from './variants/data.ts';
import { httpVariants } from './variants/http.ts';
import { refusalVariants } from './variants/refusals.ts';
import { tokenVariants } from './variants/tokens.ts';

export const variants: readonly Deployment[] = [
  ...variantsOf({ 'plain: behaves as the mock does': all }),
  ...refusalVariants,
  ...tokenVariants,
  ...dataVariants,
  ...httpVariants,
  ...profileVariants,
  ...recordVariants,
];
