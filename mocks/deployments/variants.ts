/**
 * Every variant: a deployment that differs only where the specification leaves a choice. It is conformant, or does not answer
 * all that it is asked.
 */
import type { Variant } from './deployment.ts';
import { answerVariants } from './variants/answers.ts';
import { changingDataVariants } from './variants/changing-data.ts';
import { connectionVariants } from './variants/connections.ts';
import { nonAnswerVariants } from './variants/non-answers.ts';
import { openPointVariants } from './variants/open-points.ts';
import { profileVariants } from './variants/profiles.ts';
import { rareVariants } from './variants/rare.ts';
import { recordVariants } from './variants/records.ts';
import { refusalBodyVariants } from './variants/refusal-bodies.ts';
import { refusalVariants } from './variants/refusals.ts';
import { tokenVariants } from './variants/tokens.ts';
import { transportVariants } from './variants/transport.ts';

export const variants: readonly Variant[] = [
  { name: 'plain', summary: 'behaves as the mock does', override: () => ({}) },
  ...refusalVariants,
  ...refusalBodyVariants,
  ...tokenVariants,
  ...answerVariants,
  ...changingDataVariants,
  ...transportVariants,
  ...connectionVariants,
  ...openPointVariants,
  ...profileVariants,
  ...recordVariants,
  ...rareVariants,
  ...nonAnswerVariants,
];
