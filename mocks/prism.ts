/**
 * Prism, without what the mock never asks it for: bodies made up by chance. For these Prism loads @faker-js/faker in
 * all of its languages, which is half of its start and a fifth of its memory; here it is loaded when it is first used.
 */
import { createRequire } from 'node:module';

const ofPrism = createRequire(createRequire(import.meta.url).resolve('@stoplight/prism-http'));
const faker = ofPrism.resolve('@faker-js/faker');

let loaded: object | undefined;
function load(): object {
  if (loaded) return loaded;
  delete ofPrism.cache[faker];
  loaded = ofPrism(faker).default as object;
  return loaded;
}

const later = new Proxy({}, { get: (_, name) => Reflect.get(load(), name) });
ofPrism.cache[faker] ??= {
  exports: { __esModule: true, default: later },
  loaded: true,
} as unknown as NodeJS.Module;

export const {
  createInstance,
  getHttpOperationsFromSpec,
  ProblemJsonError,
}: typeof import('@stoplight/prism-http') = ofPrism('@stoplight/prism-http');
