/**
 * Prism, without what the mock never asks it for: bodies made up by chance, for which it loads @faker-js/faker in all
 * of its languages, and collections of Postman. Together they are more than half of its start and a fourth of its
 * memory; here they are loaded when they are first used.
 */
import { createRequire } from 'node:module';

const ofPrism = createRequire(createRequire(import.meta.url).resolve('@stoplight/prism-http'));

/** Stands for an object that is made when a member of it is asked for. */
const later = (make: () => object): object => new Proxy({}, { get: (_, name) => Reflect.get(make(), name) });

/** Puts off loading a module. `standIn` is what the others get of it until then. */
function putOff(name: string, standIn: (load: () => object) => object): void {
  const file = ofPrism.resolve(name);
  if (ofPrism.cache[file]) return;
  let exports: object | undefined;
  const load = (): object => {
    if (!exports) {
      delete ofPrism.cache[file];
      exports = ofPrism(file) as object;
    }
    return exports;
  };
  ofPrism.cache[file] = { exports: standIn(load), loaded: true } as unknown as NodeJS.Module;
}

putOff('@faker-js/faker', (load) => ({
  __esModule: true,
  default: later(() => Reflect.get(load(), 'default')),
}));
putOff('@stoplight/http-spec/postman/operation', later);

export const {
  createInstance,
  getHttpOperationsFromSpec,
  ProblemJsonError,
}: typeof import('@stoplight/prism-http') = ofPrism('@stoplight/prism-http');
