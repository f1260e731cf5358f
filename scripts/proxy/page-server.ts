/** The page of the proxy: that of the mock, at an address of its own, so that every path of the service passes. */
import { createServer, type Server } from 'node:http';
import type { Contract } from '../../mocks/contract/contract.ts';
import { createControl, isControl } from '../../mocks/control.ts';
import { failure, fault, type Reply } from '../../mocks/http.ts';
import { send } from '../../mocks/server.ts';
import type { State } from '../../mocks/state.ts';
import type { JudgedRecording } from '../judge/judge-recording.ts';

export interface PageParts {
  contract: Contract;
  state: State;
  key: string;
  host: string;
  /** The base URL of the service. */
  service: string;
  latest(): JudgedRecording;
}

/** Creates the server; it does not listen yet. */
export function createPageServer({ latest, ...parts }: PageParts): Server {
  const control = createControl({
    ...parts,
    basePath: '',
    examiner: { certificate: ({ id }) => certificateOf(latest(), id) },
  });
  return createServer((request, response) => {
    const answer = (reply: Reply | undefined) => reply && send(response, reply);
    if (!isControl(request.url)) answer(failure(404, 'not_found', 'The page is at /__mock/.'));
    else control(request, response).then(answer, () => response.headersSent || answer(fault()));
  });
}

/** As the page shows it: what the traffic did not show could not be tried. */
function certificateOf({ clients }: JudgedRecording, id: string): object {
  const certificate = clients.find((client) => client.id === id)?.certificate;
  if (!certificate) return { strategy: 'none', tokens: { asked: 0, needed: 0 }, rules: [] };
  const { strategy, marginSeconds, tokens, rules } = certificate;
  return {
    strategy,
    ...(marginSeconds !== undefined && { marginSeconds }),
    tokens,
    rules: rules.map((rule) => (rule.verdict === 'not-seen' ? { ...rule, verdict: 'could-not-run' } : rule)),
  };
}
