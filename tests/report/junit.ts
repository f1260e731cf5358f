/** Parts of JUnit XML that the reports of all judges share. */
import { type Markup, markup } from './markup.ts';
import { inOneLine } from './text.ts';

/** A test case that stands for a fault of the run itself. */
export function faultOfTheRun(problem: string, index: number): Markup {
  return markup`    <testcase classname="run" name="fault ${index + 1} of the run" time="0">
      <error message="${inOneLine(problem)}" type="error"/>
    </testcase>
`;
}

/** One property of a test suite or case, on a line of its own. */
export function property(name: string, value: string, indent: number): Markup {
  return markup`
${' '.repeat(indent)}<property name="${name}" value="${inOneLine(value)}"/>`;
}

/** As JUnit writes spans. */
export const seconds = (milliseconds: number): string => (milliseconds / 1000).toFixed(3);
