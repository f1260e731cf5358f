/** What a reader of a feed without tokens is examined on. */
import type { Catalogue } from '../judge.ts';
import { contentRules } from './content-rules.ts';
import { feedScenarios } from './feed-scenarios.ts';
import { practiceRules } from './practice-rules.ts';

/** `profile` is the name of the profile that declares the feed. */
export const feedCatalogue = (profile: string): Catalogue => ({
  rules: [...contentRules(profile), ...practiceRules],
  scenarios: feedScenarios,
});
