/** The page of a report on a feed in a real browser. */
import { skipWithoutBrowser } from '../../report/testing/browser.ts';
import { testPages } from '../../report/testing/page-tests.ts';
import { modelOf } from './model.ts';
import { CHOSEN, SAMPLES } from './testing/sample-reports.ts';

skipWithoutBrowser();
testPages({ samples: SAMPLES, victim: SAMPLES.broken, chosen: CHOSEN, modelOf });
