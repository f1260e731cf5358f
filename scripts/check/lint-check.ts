/** The contract, judged by Redocly's rules. */
import { lintFromString, loadConfig } from '@redocly/openapi-core';

/** What Redocly reports of `source`, the text of the document `name`, by the rules in `configFile`; warnings too. */
export async function lintFaults(
  source: string,
  configFile: string,
  name = 'openapi.yaml',
): Promise<string[]> {
  const config = await loadConfig({ configPath: configFile });
  const problems = await lintFromString({ source, absoluteRef: name, config });
  return problems.map(({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? `:${place?.start.line ?? 1}`;
    return `${name}${pointer}: ${message.replaceAll(/\s*\n\s*/g, ' ')} Correct it (Redocly's rule ${ruleId}).`;
  });
}
