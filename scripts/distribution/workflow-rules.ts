/** Rules of this project for workflows and actions that a general linter does not have. */
import { parseDocument } from 'yaml';

/** A file of GitHub Actions, as far as the rules read it. */
interface Definition {
  on?: unknown;
  permissions?: unknown;
  jobs?: Record<string, Job>;
  runs?: { steps?: Step[] };
}

interface Job {
  uses?: string;
  permissions?: unknown;
  'timeout-minutes'?: number;
  steps?: Step[];
}

export interface Step {
  uses?: string;
  run?: string;
  with?: Record<string, unknown>;
}

/** What breaks a rule in a workflow or in action.yml, as sentences; `text` is the file. */
export function problemsOf(text: string): string[] {
  const definition = parseDocument(text).toJS() as Definition;
  const { on, permissions, jobs = {}, runs } = definition;
  const problems: string[] = [];
  if (JSON.stringify(on ?? '').includes('pull_request_target'))
    problems.push('pull_request_target runs the code of a stranger with secrets.');
  if (!runs && !isReadOnly(permissions))
    problems.push('The workflow needs permissions that only read, or none.');
  for (const [name, job] of Object.entries(jobs)) {
    if (!job.uses && !job['timeout-minutes']) problems.push(`The job ${name} has no timeout-minutes.`);
    if (job.permissions === 'write-all') problems.push(`The job ${name} may write everything.`);
    if (job.uses) problems.push(...problemsOfUse(job.uses, text));
  }
  for (const step of [runs, ...Object.values(jobs)].flatMap((one) => one?.steps ?? [])) {
    if (step.run?.includes('${{')) problems.push(`A value is part of the program "${step.run.trim()}".`);
    if (step.uses) problems.push(...problemsOfUse(step.uses, text));
    if (step.uses?.startsWith('actions/checkout@') && step.with?.['persist-credentials'] !== false)
      problems.push('actions/checkout leaves its token in the clone without persist-credentials: false.');
  }
  return problems;
}

const isReadOnly = (permissions: unknown): boolean =>
  typeof permissions === 'object' &&
  permissions !== null &&
  Object.values(permissions).every((one) => one === 'read' || one === 'none');

function problemsOfUse(uses: string, text: string): string[] {
  if (uses.startsWith('./')) return [];
  if (!/^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/.test(uses)) return [`${uses} is not pinned to a commit.`];
  return text.split('\n').every((line) => !line.includes(uses) || / # v\d+\.\d+\.\d+$/.test(line))
    ? []
    : [`${uses} does not name its version in a comment.`];
}
