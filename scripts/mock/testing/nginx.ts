/** nginx as a balancer: NGINX_PATH, or that of the system. */
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, join } from 'node:path';
import { expect } from '@playwright/test';
import type { Balancer } from './round-robin.ts';

/** Undefined if it is not installed. Debian has it where the PATH of most users does not look. */
export const nginx: string | undefined = [
  process.env.NGINX_PATH ?? '',
  ...`${process.env.PATH}${delimiter}/usr/sbin`.split(delimiter).map((folder) => join(folder, 'nginx')),
].find((file) => file !== '' && existsSync(file));

export async function startNginx(file: string, folder: string, ports: readonly number[]): Promise<Balancer> {
  mkdirSync(folder, { recursive: true });
  const port = await freePort();
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const lines = [
    'daemon off;',
    'worker_processes 1;',
    `pid ${folder}/pid;`,
    ...(process.getuid?.() === 0 ? ['user root;'] : []),
    'events {}',
    'http {',
    '  access_log off;',
    ...temporary.map((name) => `  ${name}_temp_path ${folder}/${name};`),
    '  upstream replicas {',
    ...ports.map((one) => `    server 127.0.0.1:${one};`),
    '  }',
    '  server {',
    `    listen 127.0.0.1:${port};`,
    '    location / {',
    '      proxy_pass http://replicas;',
    '      proxy_next_upstream error timeout non_idempotent;',
    '    }',
    '  }',
    '}',
  ];
  writeFileSync(join(folder, 'nginx.conf'), lines.join('\n'));
  const args = ['-p', folder, '-c', join(folder, 'nginx.conf'), '-e', 'stderr'];
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  let said = '';
  child.stderr.on('data', (text: Buffer) => {
    said += text;
  });
  const closed = once(child, 'close');
  const url = `http://127.0.0.1:${port}`;
  const state = async () => (child.exitCode === null ? await isServed(url) : `nginx ended: ${said}`);
  await expect.poll(state, { intervals: [20] }).toBe(true);
  return {
    url,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM');
      await closed;
    },
  };
}

const isServed = (url: string): Promise<boolean> =>
  fetch(`${url}/health/`).then(
    async (answer) => {
      await answer.arrayBuffer();
      return answer.ok;
    },
    () => false,
  );

/** nginx does not report which port it took. Below those that the system gives to others in the meantime. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 30_000);
    const server = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      server.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true));
    });
    if (!isFree) continue;
    server.close();
    await once(server, 'close');
    return port;
  }
}
