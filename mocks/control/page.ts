/** /__mock/: the dashboard, and the data that only it shows. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Contract } from '../contract/contract.ts';
import { jsonReply, type Reply } from '../http.ts';
import type { ControlRoute } from '../operations.ts';
import { scenarios } from '../scenarios.ts';
import type { State } from '../state.ts';

const FOLDER = dirname(fileURLToPath(import.meta.resolve('mrs-contract/page/index.html')));
const TYPES: Record<string, string> = { '.html': 'text/html', '.css': 'text/css', '.js': 'text/javascript' };

/** Nothing from other origins runs in it, and nothing that a journal holds. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; form-action 'none'; " +
  "base-uri 'none'; frame-ancestors 'none'";

export interface PageParts {
  contract: Contract;
  basePath: string;
  state: State;
}

export function pageRoutes({ contract, basePath, state }: PageParts): ControlRoute[] {
  const files = readdirSync(FOLDER).filter((name) => extname(name) in TYPES);
  const routes = files.map((name): ControlRoute => {
    const path = `/__mock/${name === 'index.html' ? '' : name}`;
    return { method: 'GET', path, open: true, oneReplica: true, answer: () => fileNamed(name) };
  });
  return [
    ...routes,
    {
      method: 'GET',
      path: '/__mock/contract',
      answer: () =>
        jsonReply({
          basePath,
          operations: contract.operations,
          assumptions: contract.assumptions,
        }),
    },
    {
      method: 'GET',
      path: '/__mock/scenarios',
      answer: () => jsonReply({ scenarios: scriptsOf(state) }),
    },
  ];
}

/** Of the scenarios that are only a script: the others change the client's terms as well. */
const scriptsOf = ({ clock }: State): object[] =>
  scenarios.flatMap(({ name, summary, terms }) => {
    const { script, tokenLifetime } = terms({ now: clock.now(), renewal: 2 });
    return script && tokenLifetime === undefined ? [{ name, summary, script }] : [];
  });

function fileNamed(name: string): Reply {
  const bytes = readFileSync(join(FOLDER, name));
  return {
    status: 200,
    bytes,
    headers: {
      'content-type': `${TYPES[extname(name)]}; charset=utf-8`,
      'content-length': String(bytes.length),
      'content-security-policy': POLICY,
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-cache',
    },
  };
}
