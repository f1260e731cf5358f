/** What a deployment declares about the open points: an OpenAPI Overlay, applied to openapi.yaml. */
import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { nodeOf, POINTER } from './document.ts';
import { firstError, MockError, nearestInWords } from './mock-error.ts';
import { profileProblem, TOKEN_CLAUSES } from './spec-invariants.ts';

export interface Profile {
  /** The name after the @ of its requirements. */
  name: string;
  title: string;
  /** openapi.yaml with everything that the profile declares. It is shared: clone it before changing it. */
  document: Readonly<Record<string, unknown>>;
  /** Ids of the clauses that the deployment does not offer, so that it cannot conform to the specification. */
  notOffered: readonly string[];
}

/** An overlay document (OpenAPI Overlay 1.0 or 1.1), with the extensions of profiles. */
interface Overlay {
  overlay: string;
  info: { title: string; version: string };
  actions: { target: string; update?: unknown; remove?: boolean }[];
  /** Another profile, whose overlay is applied first: a name, or a file relative to this one. */
  'x-builds-on'?: string;
  /** For a deployment without tokens: the clauses about tokens are left out together. */
  'x-not-offered'?: 'tokens';
  /** URLs, by the names that `source` of a declaration may use. */
  'x-sources'?: Record<string, string>;
}

export const SPECIFICATION = 'specification';
const FOLDER = fileURLToPath(
  new URL('mocks/contract/profiles/', import.meta.resolve('mrs-contract/package.json')),
);
const ENDING = '.overlay.yaml';
const MOST_MIB = 16;

/** Names of the profiles in this package. */
export const profileNames = (): string[] => [
  SPECIFICATION,
  ...readdirSync(FOLDER)
    .filter((name) => name.endsWith(ENDING))
    .map((name) => name.slice(0, -ENDING.length)),
];

let base: Profile | undefined;

/** The specification only: nothing is declared. */
export function specification(): Profile {
  base ??= {
    name: SPECIFICATION,
    title: 'The specification without a profile',
    document: createRequire(import.meta.url)('mrs-contract/openapi.json'),
    notOffered: [],
  };
  return base;
}

/** Loads a profile by its name or the path of its file. Throws MockError if it is invalid. */
export async function loadProfile(nameOrFile: string): Promise<Profile> {
  if (nameOrFile === SPECIFICATION) return specification();
  const file = fileOf(nameOrFile);
  // The build has read those of this package: reading YAML and applying an overlay takes longer than all else that a mock loads.
  if (file !== nameOrFile) return createRequire(import.meta.url)(`#profiles/${nameOrFile}.json`);
  return readProfile(file);
}

/** Reads a file and what it builds on, and applies them to openapi.yaml. Throws MockError if it is invalid. */
export async function readProfile(file: string): Promise<Profile> {
  const overlays = await readOverlays(file);
  const { title } = (overlays.at(-1) as Overlay).info;
  const document = structuredClone(specification().document) as Record<string, unknown>;
  for (const overlay of overlays) await apply(overlay, document, file);
  const notOffered = overlays.some((overlay) => overlay['x-not-offered']) ? TOKEN_CLAUSES : [];
  const name = basename(file).replace(/(\.overlay)?\.(ya?ml|json)$/, '');
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(name))
    throw new MockError(
      `The profile ${file} would be named "${name}". Use only lower-case letters, digits and hyphens in the file name.`,
    );
  settle(document, Object.assign({}, ...overlays.map((overlay) => overlay['x-sources'])));
  Object.assign(document, { 'x-profile': { name, title, notOffered } });
  const fault = profileProblem(specification().document, document, notOffered) ?? recordsProblem(document);
  if (fault) throw new MockError(`The profile ${name} is refused: ${fault}`);
  return { name, title, document, notOffered };
}

const isPath = (nameOrFile: string): boolean => /[./\\]/.test(nameOrFile);

function fileOf(nameOrFile: string): string {
  const shipped = join(FOLDER, nameOrFile + ENDING);
  if (isPath(nameOrFile)) return nameOrFile;
  if (/^[a-z0-9-]+$/.test(nameOrFile) && existsSync(shipped)) return shipped;
  throw new MockError(
    `There is no profile "${nameOrFile}". ${nearestInWords(nameOrFile, profileNames())}See mrs profile list. ` +
      'To use a file, give its path, such as ./mine.overlay.yaml.',
  );
}

/** The overlay of the file, preceded by those that it builds on. */
async function readOverlays(file: string, above: readonly string[] = []): Promise<Overlay[]> {
  if (above.includes(file)) throw new MockError(`The profile ${file} builds on itself. Remove x-builds-on.`);
  const overlay = await readOverlay(file);
  const before = overlay['x-builds-on'];
  if (before === undefined || before === SPECIFICATION) return [overlay];
  const path = isPath(before) ? join(file, '..', before) : fileOf(before);
  return [...(await readOverlays(path, [...above, file])), overlay];
}

async function readOverlay(file: string): Promise<Overlay> {
  const { parse, YAMLParseError } = await import('yaml'); // Most mocks have no profile.
  let read: unknown;
  try {
    read = parse(readRegularFile(file, MOST_MIB).toString(), { logLevel: 'error' });
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const [first = ''] = message.split('\n'); // Of a YAML error, it names the line.
    throw new MockError(
      error instanceof YAMLParseError
        ? `${file} is not valid YAML: ${first.replace(/:$/, '')}. Fix it there.`
        : `${file} cannot be read: ${code ?? first}. Name another file.`,
    );
  }
  const fault = overlayProblem(read);
  if (fault) throw new MockError(`The profile ${file} is not a valid overlay: ${fault}`);
  return read as Overlay;
}

const TEXT = { type: 'string', minLength: 1 };
const PATH = { type: 'string', pattern: '^\\$' };
const OVERLAY = {
  type: 'object',
  required: ['overlay', 'info', 'actions'],
  patternProperties: { '^x-': true },
  additionalProperties: false,
  properties: {
    overlay: { type: 'string', pattern: '^1\\.[01]\\.\\d+$' },
    info: { type: 'object', required: ['title', 'version'], properties: { title: TEXT } },
    extends: { type: 'string' },
    'x-builds-on': TEXT,
    'x-not-offered': { const: 'tokens' },
    'x-sources': { type: 'object', additionalProperties: { type: 'string' } },
    actions: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['target'],
        patternProperties: { '^x-': true },
        additionalProperties: false,
        properties: {
          ...{ target: PATH, description: { type: 'string' }, update: true, remove: { const: true } },
          copy: PATH,
        },
        anyOf: [{ required: ['update'] }, { required: ['remove'] }, { required: ['copy'] }],
      },
    },
  },
};
const NUMBER = { type: 'number' };
const TEXTS = { type: 'array', items: TEXT };
const SITE = {
  type: 'object',
  required: ['id', 'latDeg', 'lonDeg', 'elM'],
  properties: {
    id: TEXT,
    latDeg: NUMBER,
    lonDeg: NUMBER,
    elM: NUMBER,
    dishM: NUMBER,
    extentDeg: NUMBER,
    receiversHz: { type: 'array', items: NUMBER, minItems: 2, maxItems: 2 },
    aliases: TEXTS,
  },
};
const SITES = { type: 'array', items: SITE };
const RECORDS = {
  type: 'object',
  required: ['list', 'schema'],
  properties: {
    list: { type: 'string', pattern: POINTER.source, description: 'a JSON pointer, such as /ods_data' },
    ...{ versions: TEXTS, legacy: { type: 'object', required: ['required'] }, legacyFields: TEXTS },
    scheduledSites: TEXTS,
    scheduledRecords: { type: 'array', items: { type: 'object' }, minItems: 1 },
    ...{ sites: SITES, otherSites: SITES },
  },
};

/** Why what the document declares about records is invalid, in words. */
function recordsProblem(document: Record<string, unknown>): string | undefined {
  const records = document['x-records'];
  if (records === undefined) return undefined;
  const schema = { enum: Object.keys(nodeOf(nodeOf(document.components).schemas)) };
  const validate = new Ajv2020({ strict: false, verbose: true }).compile({
    properties: { 'x-records': { ...RECORDS, properties: { ...RECORDS.properties, schema } } },
  });
  return validate(document) ? undefined : `${firstError(validate.errors, 'it')}. Correct it there.`;
}

/** Made for the first profile: most mocks have none. */
let isOverlay: ValidateFunction | undefined;

/** Why the overlay is invalid, in words; undefined if it is valid. */
function overlayProblem(read: unknown): string | undefined {
  isOverlay ??= new Ajv2020({ strict: false, validateSchema: false, verbose: true }).compile(OVERLAY);
  return isOverlay(read) ? undefined : `${firstError(isOverlay.errors, 'it')}. Fix it there.`;
}

/** Changes the document in place, as the library does. */
async function apply(overlay: Overlay, document: Record<string, unknown>, file: string): Promise<void> {
  const { openapiOverlay } = await import('openapi-format'); // Only who names a profile waits for it.
  const { error } = console;
  console.error = () => {}; // The library prints that a target is not a JSONPath, before it returns.
  const applying = openapiOverlay(document, { overlaySet: { ...overlay } });
  console.error = error;
  const { resultData } = await applying;
  const { unusedActions = [] } = resultData as { unusedActions?: Overlay['actions'] };
  const [unused] = unusedActions;
  if (!unused) return;
  const number = overlay.actions.indexOf(unused) + 1;
  throw new MockError(
    `The profile ${file} is refused: its action ${number} changes nothing, since openapi.yaml has nothing at ` +
      `${unused.target}, a value of another type, or the target is not a JSONPath. Correct the target.`,
  );
}

/** A declared point is no longer an assumption, and `source` becomes a URL. */
function settle(node: unknown, sources: Record<string, string>): void {
  if (typeof node !== 'object' || node === null) return;
  const declared = (node as Record<string, unknown>)['x-declared'] as { source?: string } | undefined;
  if (declared) {
    delete (node as Record<string, unknown>)['x-assumption'];
    if (declared.source !== undefined) declared.source = sources[declared.source] ?? declared.source;
  }
  for (const [key, value] of Object.entries(node)) if (key !== 'value') settle(value, sources);
}

/**
 * Reads a file that an option names: it may be anything, and of any size. Throws an Error whose `code` says why it is not
 * read: that of the system, or words. Opening a pipe would block the whole mock, and a device may have no end.
 */
export function readRegularFile(file: string, mostMiB: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile()) throw refusal('it is not a regular file');
    if (status.size > mostMiB * 1024 * 1024) throw refusal(`it is larger than ${mostMiB} MiB`);
    return readFileSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

const refusal = (code: string) => Object.assign(new Error(code), { code });
