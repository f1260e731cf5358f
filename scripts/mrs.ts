#!/usr/bin/env node
/** The `mrs` command: what it is made of is loaded only by a Node.js that can. */
import module from 'node:module';
import { fileURLToPath } from 'node:url';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
// Node.js 22.1 and later keep compiled code: here next to the code, where only who may change that can write. Without
// the right to write there, nothing is kept.
const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => void };
enableCompileCache?.(fileURLToPath(new URL('../.compile-cache', import.meta.url)));

if (major > 20 || (major === 20 && minor >= 19))
  await import('./command-line.ts').catch(({ message }) => fail(`mrs could not be loaded: ${message}`));
else fail(`mrs needs Node.js 20.19 or later, and this is ${process.versions.node}. Install a later one.`);

function fail(sentence: string): void {
  console.error(sentence);
  process.exitCode = 2;
}
