/** A report that was made by hand, for what is the same in the reports of all judges. */
import { suite } from '../../support/version.ts';
import type { Item, Report } from '../report.ts';

export const itemOf = (fields: Partial<Item> = {}): Item => ({
  id: 'MRS-1',
  group: '1',
  statement: 'It is so.',
  verdict: 'failed',
  facts: [],
  findings: [],
  exchanges: [],
  ...fields,
});

export const reportWith = (items: readonly Item[], fields: Partial<Report> = {}): Report => ({
  schemaVersion: 2,
  suite,
  judge: 'verify',
  subject: { name: 'Deployment', text: 'https://mrs.example' },
  outcome: 'nonconformant',
  headline: '1 of 1 requirement is violated',
  next: 'Fix it.',
  remarks: [],
  counts: [],
  tally: '1 failed',
  facts: [],
  properties: {},
  items,
  sections: [],
  exchanges: [],
  problems: [],
  ...fields,
});
