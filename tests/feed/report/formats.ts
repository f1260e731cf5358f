/** The formats of `mrs feed --format`. */
import { renderJunit } from '../../report/junit.ts';
import { renderMarkdown } from '../../report/markdown.ts';
import { renderPage } from '../../report/page.ts';
import { renderSarif } from '../../report/sarif.ts';
import { modelOf } from './model.ts';
import type { FeedReport } from './report.ts';
import { renderText } from './terminal.ts';

/** By name; only `text` has colours. */
export const FORMATS: Readonly<Record<string, (report: FeedReport, color: boolean) => string>> = {
  text: (report, color) => renderText(report, { color }),
  json: (report) => inAscii(JSON.stringify(report, null, 2)),
  sarif: (report) => inAscii(renderSarif(modelOf(report))),
  html: (report) => renderPage(modelOf(report)),
  junit: (report) => renderJunit(modelOf(report)),
  markdown: (report) => renderMarkdown(modelOf(report)),
};

/** Characters that a terminal or a viewer would obey, escaped as in JSON. */
const inAscii = (json: string): string =>
  json.replace(/[\x7f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
