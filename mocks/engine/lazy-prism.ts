/**
 * Prism, without the modules that the mock never needs: generated bodies, for which it loads every locale of
 * @faker-js/faker, and Postman collections. They are more than half of its start-up time and a quarter of its memory;
 * here they are loaded on first use.
 */
import { createRequire } from 'node:module';

const ofPrism = createRequire(createRequire(import.meta.url).resolve('@stoplight/prism-http'));

/** An object that is created when one of its members is first read. */
const later = (make: () => object): object => new Proxy({}, { get: (_, name) => Reflect.get(make(), name) });

/** Defers loading a module. `standIn` is what other modules get until then. */
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

type Prism = typeof import('@stoplight/prism-http');

const prism: Prism = ofPrism('@stoplight/prism-http');

// Each with its type: what TypeScript infers names packages that pnpm does not put where they can be imported.
export const createInstance: Prism['createInstance'] = prism.createInstance;
export const getHttpOperationsFromSpec: Prism['getHttpOperationsFromSpec'] = prism.getHttpOperationsFromSpec;
export const ProblemJsonError: Prism['ProblemJsonError'] = prism.ProblemJsonError;
