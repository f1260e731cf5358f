/** What `mrs fleet run` leaves next to the reports, for `mrs fleet report` and for a later --resume. */
import { guardOf } from '../support/own-schema.ts';

/** run.json, next to the report of a deployment: how its run ended. */
export interface RunRecord {
  schemaVersion: 1;
  /** Of the run of the fleet, where it is known. */
  runId?: string;
  name: string;
  kind: 'service' | 'feed';
  /** Digests of its settings and of the suite, by which --resume knows whether the report still counts. */
  settings: string;
  suite: string;
  startedAt: string;
  durationMs: number;
  /** Absent where the run did not end by itself. */
  exitCode?: number;
  /** The digest of report.json; absent where there is none that counts. */
  report?: string;
  /** Why there is none, as a sentence. */
  reason?: string;
  /** What else the operator of the fleet must know. */
  remark?: string;
}

/** inventory.json, or one of that kind for each shard: which deployments are to have a report. */
export interface InventoryRecord {
  schemaVersion: 1;
  /** As in a run record. */
  runId?: string;
  writtenAt: string;
  shard?: { index: number; total: number };
  /** Those of all shards. */
  deployments: ExpectedDeployment[];
}

export interface ExpectedDeployment {
  name: string;
  kind: 'service' | 'feed';
  address: string;
  labels: string[];
  contact?: string;
  /** That it was to run in. */
  shard?: number;
}

/** What an id of a run looks like. */
export const RUN_ID = '^[\\w.:/@+-]{1,100}$';

/** Whether a record counts in the run of this id; where the id is not known, each does. */
export const isOfRun = (record: { runId?: string }, runId: string | undefined): boolean =>
  runId === undefined || record.runId === runId;

const NAME = { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$' };
const TEXT = { type: 'string', maxLength: 2000 };
const DIGEST = { type: 'string', pattern: '^sha256:[0-9a-f]{64}$' };
const KIND = { enum: ['service', 'feed'] };
const TIME = { type: 'string', format: 'date-time' };
const COUNT = { type: 'integer', minimum: 1, maximum: 100_000 };

const record = (required: readonly string[], properties: object) => ({
  type: 'object',
  additionalProperties: false,
  required,
  properties,
});

export const isRunRecord = guardOf<RunRecord>(
  record(['schemaVersion', 'name', 'kind', 'settings', 'suite', 'startedAt', 'durationMs'], {
    schemaVersion: { const: 1 },
    runId: { type: 'string', pattern: RUN_ID },
    name: NAME,
    kind: KIND,
    settings: DIGEST,
    suite: DIGEST,
    startedAt: TIME,
    durationMs: { type: 'number', minimum: 0 },
    exitCode: { enum: [0, 1, 2, 3] },
    report: DIGEST,
    reason: TEXT,
    remark: TEXT,
  }),
);

export const isInventoryRecord = guardOf<InventoryRecord>(
  record(['schemaVersion', 'writtenAt', 'deployments'], {
    schemaVersion: { const: 1 },
    runId: { type: 'string', pattern: RUN_ID },
    writtenAt: TIME,
    shard: record(['index', 'total'], { index: COUNT, total: COUNT }),
    deployments: {
      type: 'array',
      maxItems: 2000,
      items: record(['name', 'kind', 'address', 'labels'], {
        name: NAME,
        kind: KIND,
        address: TEXT,
        labels: { type: 'array', maxItems: 20, items: NAME },
        contact: { type: 'string', maxLength: 200 },
        shard: COUNT,
      }),
    },
  }),
);
