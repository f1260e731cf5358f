/**
 * The published shape of a CTRF report, version 1.0.0, as far as ours uses it, as JSON Schema:
 * https://github.com/ctrf-io/ctrf/blob/main/schema/ctrf.schema.json. Like there, no other members are allowed.
 */
const text = { type: 'string' };
const integer = { type: 'integer' };

export const CTRF_SCHEMA = {
  type: 'object',
  additionalProperties: false,
  required: ['reportFormat', 'specVersion', 'results'],
  properties: {
    reportFormat: { const: 'CTRF' },
    specVersion: { const: '1.0.0' },
    results: {
      type: 'object',
      additionalProperties: false,
      required: ['tool', 'summary', 'tests'],
      properties: {
        tool: {
          type: 'object',
          additionalProperties: false,
          required: ['name'],
          properties: { name: { type: 'string', minLength: 1 }, version: text },
        },
        summary: {
          type: 'object',
          additionalProperties: false,
          required: ['tests', 'passed', 'failed', 'skipped', 'pending', 'other', 'start', 'stop'],
          properties: {
            tests: integer,
            passed: integer,
            failed: integer,
            skipped: integer,
            pending: integer,
            other: integer,
            start: integer,
            stop: integer,
          },
        },
        tests: { type: 'array', items: { $ref: '#/$defs/test' } },
        extra: { type: 'object' },
      },
    },
  },
  $defs: {
    test: {
      type: 'object',
      additionalProperties: false,
      required: ['name', 'status', 'duration'],
      properties: {
        name: { type: 'string', minLength: 1 },
        status: { enum: ['passed', 'failed', 'skipped', 'pending', 'other'] },
        duration: integer,
        suite: { type: 'array', minItems: 1, items: text },
        rawStatus: text,
        tags: { type: 'array', items: text },
        message: text,
        trace: text,
      },
    },
  },
};
