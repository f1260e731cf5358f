/** A report that was made by hand, for what is the same in the reports of all judges. */
import { type Item, itemWith, reportWith as made, type Report } from '../report.ts';

export const itemOf = (fields: Partial<Item> = {}): Item =>
  itemWith({ id: 'MRS-1', group: '1', statement: 'It is so.', verdict: 'failed', ...fields });

export const reportWith = (items: readonly Item[], fields: Partial<Report> = {}): Report =>
  made({
    judge: 'verify',
    subject: { name: 'Deployment', text: 'https://mrs.example' },
    outcome: 'nonconformant',
    headline: '1 of 1 requirement is violated',
    counts: [],
    tally: '1 failed',
    items,
    ...fields,
  });
