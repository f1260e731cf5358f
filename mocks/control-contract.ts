/** control.openapi.yaml, read once, as what judges the bodies that the control is sent. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { parse } from 'yaml';

export interface Move {
  action: 'freeze' | 'resume' | 'advance' | 'set' | 'scale' | 'reset';
  by?: number | string;
  until?: 'next-expiry';
  delta?: number | string;
  to?: string;
  factor?: number;
}

export interface ControlContract {
  /** Of the package. */
  version: string;
  /** What keeps `body` from being a Move, in words; undefined if it is one. */
  faultsOf(body: unknown): string | undefined;
}

let loaded: ControlContract | undefined;

export function loadControlContract(): ControlContract {
  loaded ??= read();
  return loaded;
}

function read(): ControlContract {
  const text = (name: string) =>
    readFileSync(fileURLToPath(import.meta.resolve(`mrs-contract/${name}`)), 'utf8');
  const { components } = parse(text('control.openapi.yaml'));
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  const validate = ajv.compile({ $ref: '#/components/schemas/Move', components });
  return {
    version: JSON.parse(text('package.json')).version,
    faultsOf(body) {
      if (body === undefined) return 'the body is no JSON';
      if (validate(body)) return undefined;
      const {
        instancePath = '',
        message = 'is not as described',
        params = {},
      } = validate.errors?.at(0) ?? {};
      const named = Object.values(params).flat().join(', ');
      return `${instancePath || 'the body'} ${message}${message.includes(named) ? '' : ` (${named})`}`;
    },
  };
}
