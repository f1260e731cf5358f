/** The page of a conformance report in a real browser. */
import { expect } from '@playwright/test';
import { renderPage } from '../../report/page.ts';
import { skipWithoutBrowser, test, unfold } from '../../report/testing/browser.ts';
import { testPages } from '../../report/testing/page-tests.ts';
import { modelOf } from './model.ts';
import { SAMPLES } from './testing/sample-reports.ts';

skipWithoutBrowser();
testPages({ samples: SAMPLES, victim: SAMPLES.faulty, modelOf });

test('screen reader finds the cells of a table on a phone', async ({ open }) => {
  const { page } = await open(renderPage(modelOf(SAMPLES.proved)), { viewport: { width: 320, height: 640 } });
  await unfold(page);
  await expect(page.getByRole('row', { name: /MRS-7d/ }).getByRole('cell')).toHaveText([
    'The codes of errors.',
    '400, 401',
  ]);
});
