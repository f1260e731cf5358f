/** The tests that mocks/README.md shows, each run as it is with a client to test. */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, _baseTest as test } from '@playwright/test';
import { type Mock, startMock } from '../index.ts';
import { program } from './testing/mrs.ts';
import { untilGone } from './testing/processes.ts';

const readme = readFileSync(new URL('../../mocks/README.md', import.meta.url), 'utf8');
const execute = promisify(execFile);
const tsc = fileURLToPath(new URL('../../node_modules/typescript-7/bin/tsc', import.meta.url));
const KEY = 'a-key-of-the-test';

/** The first block in this language that has a test. */
const block = (language: string): string =>
  [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))]
    .map(([, text = '']) => text)
    .find((text) => /\btest(s|ing)?\b/i.test(text)) ?? '';

const typescriptClient = (retries: boolean) => `
export function createClient(url: string, id: string, secret: string) {
  let token = '';
  const obtain = async () => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret });
    const answer = await fetch(url + '/token/', { method: 'POST', headers: { accept: 'application/json' }, body });
    token = ((await answer.json()) as { token: string }).token;
  };
  const headers = () => ({ accept: 'application/json', authorization: 'Bearer ' + token });
  const read = () => fetch(url + '/ods_data/', { headers: headers() });
  return {
    async readData() {
      if (!token) await obtain();
      const answer = await read();
      if (${retries} && answer.status === 403) {
        await obtain();
        await read();
      }
    },
  };
}
`;

test('the test for Node.js passes for a client that renews its token, and fails for one that does not', async () => {
  const folder = test.info().outputPath('node');
  for (const [name, retries] of [
    ['right', true],
    ['wrong', false],
  ] as const) {
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, name, 'expiry.ts'), block('ts'));
    writeFileSync(join(folder, name, 'client.ts'), typescriptClient(retries));
  }
  const options = ['--target', 'es2022', '--lib', 'es2022,dom,esnext.disposable', '--module', 'nodenext'];
  const strict = ['--ignoreConfig', '--strict', '--skipLibCheck', '--types', 'node'];
  const sources = ['right/expiry.ts', 'wrong/expiry.ts'];
  await execute(process.execPath, [tsc, ...strict, ...options, ...sources], { cwd: folder });
  const { NODE_OPTIONS: _, NODE_TEST_CONTEXT: __, ...env } = process.env;
  for (const [name, code] of [
    ['right', 0],
    ['wrong', 1],
  ] as const) {
    const args = ['--test', `${name}/expiry.js`];
    const run = await execute(process.execPath, args, { cwd: folder, env }).catch((error) => error);
    expect(run.code ?? 0, run.stdout).toBe(code);
    expect(run.stdout).toMatch(/a token that expires between two calls is renewed/);
  }
});

const pythonClient = `
import json, urllib.error, urllib.parse, urllib.request


class YourClient:
    def __init__(self, url, client_id, secret):
        self.url, self.id, self.secret, self.token = url, client_id, secret, None

    def obtain(self):
        form = {"grant_type": "client_credentials", "client_id": self.id, "client_secret": self.secret}
        with urllib.request.urlopen(self.url + "/token/", urllib.parse.urlencode(form).encode()) as answer:
            self.token = json.load(answer)["token"]

    def read_data(self):
        self.token or self.obtain()
        try:
            self.read()
        except urllib.error.HTTPError as error:
            assert error.code == 403
            self.obtain()
            self.read()

    def read(self):
        headers = {"Authorization": "Bearer " + self.token}
        return urllib.request.urlopen(urllib.request.Request(self.url + "/ods_data/", headers=headers)).close()
`;

test('the test for pytest passes for a client that renews its token', async () => {
  await execute('python3', ['-c', 'import pytest']).catch(() => test.skip(true, 'pytest is not installed.'));
  const file = test.info().outputPath('test_expiry.py');
  writeFileSync(file, `${block('python')}\n${pythonClient}`);
  await using mock = await startMock({ controlKey: KEY });
  const run = await execute('python3', ['-m', 'pytest', '-q', '-p', 'no:cacheprovider', file], {
    env: variables(mock),
  }).catch((error) => error);
  expect(run.stdout).toContain('1 passed');
});

test('the script starts a mock, runs the tests with its address, and stops it', async () => {
  const cwd = test.info().outputPath('script');
  const env = withNpx();
  mkdirSync(cwd, { recursive: true });
  writeFileSync(
    join(cwd, 'run-your-tests'),
    '#!/bin/sh\ncp mock.json kept.json\nexec curl -s $MRS_BASE_URL/health/\n',
    {
      mode: 0o755,
    },
  );
  // A mock that is left running must not keep standard error open, for which this would wait.
  const script = `exec 2> errors.txt\n${block('bash')}`;
  const run = await execute('bash', ['-ec', script], { cwd, env }).catch((error) => error);
  expect(run.code ?? 0, readFileSync(join(cwd, 'errors.txt'), 'utf8')).toBe(0);
  expect(JSON.parse(run.stdout)).toEqual({ status: 'ok' });
  const { pid } = JSON.parse(readFileSync(join(cwd, 'kept.json'), 'utf8'));
  await untilGone(pid);
  expect(existsSync(join(cwd, 'mock.json'))).toBe(false);
});

/** An environment in which `npx mrs` runs this build. */
function withNpx(): NodeJS.ProcessEnv {
  const folder = test.info().outputPath('bin');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'npx'), `#!/bin/sh\nshift\n${process.execPath} ${program} "$@"\n`, {
    mode: 0o755,
  });
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('MRS_'));
  return { ...Object.fromEntries(own), PATH: `${folder}:${process.env.PATH}` };
}

const goClient = `
package client

import (
	"encoding/json"
	"net/http"
	"net/url"
)

type yourClient struct{ url, id, secret, token string }

func NewYourClient(url, id, secret string) *yourClient {
	return &yourClient{url: url, id: id, secret: secret}
}

func (c *yourClient) obtain() {
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {c.id}, "client_secret": {c.secret}}
	response, err := http.PostForm(c.url+"/token/", form)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	var answer struct{ Token string }
	json.NewDecoder(response.Body).Decode(&answer)
	c.token = answer.Token
}

func (c *yourClient) read() int {
	request, _ := http.NewRequest("GET", c.url+"/ods_data/", nil)
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

func (c *yourClient) ReadData() {
	if c.token == "" {
		c.obtain()
	}
	if c.read() == 403 && RENEWS {
		c.obtain()
		c.read()
	}
}
`;

for (const [what, renews, code] of [
  ['passes for a client that renews its token', 'true', 0],
  ['fails for one that does not', 'false', 1],
] as const)
  test(`the test for Go ${what}`, async () => {
    await execute('go', ['version']).catch(() => test.skip(true, 'Go is not installed.'));
    const cwd = test.info().outputPath('go');
    mkdirSync(cwd, { recursive: true });
    writeFileSync(join(cwd, 'go.mod'), 'module client\n\ngo 1.19\n');
    writeFileSync(join(cwd, 'expiry_test.go'), block('go'));
    writeFileSync(join(cwd, 'client.go'), goClient.replace('RENEWS', renews));
    await using mock = await startMock({ controlKey: KEY });
    const env = { ...variables(mock), GOCACHE: join(cwd, 'cache'), GOFLAGS: '-mod=mod' };
    const run = await execute('go', ['test', './...'], { cwd, env }).catch((error) => error);
    expect(run.code ?? 0, `${run.stdout}${run.stderr}`).toBe(code);
    expect(run.stdout).toMatch(code === 0 ? /^ok\s+client/ : /--- FAIL: TestExpiryBetweenTwoCalls/);
  });

const javaClient = `
  static class YourClient {
    final String url, form;
    String token;

    YourClient(String url, String id, String secret) {
      this.url = url;
      form = "grant_type=client_credentials&client_id=" + id + "&client_secret=" + secret;
    }

    java.net.http.HttpResponse<String> send(java.net.http.HttpRequest request) throws Exception {
      return java.net.http.HttpClient.newHttpClient().send(request, java.net.http.HttpResponse.BodyHandlers.ofString());
    }

    void obtain() throws Exception {
      token = send(java.net.http.HttpRequest.newBuilder(java.net.URI.create(url + "/token/"))
          .header("content-type", "application/x-www-form-urlencoded")
          .POST(java.net.http.HttpRequest.BodyPublishers.ofString(form)).build()).body().split("\\"")[3];
    }

    int read() throws Exception {
      return send(java.net.http.HttpRequest.newBuilder(java.net.URI.create(url + "/ods_data/"))
          .header("Authorization", "Bearer " + token).build()).statusCode();
    }

    void readData() throws Exception {
      if (token == null) obtain();
      if (read() != 403) return;
      obtain();
      read();
    }
  }

  @interface Test {}

  static void assertTrue(boolean holds) {
    if (!holds) throw new AssertionError();
  }

  public static void main(String[] none) throws Exception {
    new ExpiryTest().expiryBetweenTwoCalls();
    System.out.println("1 passed");
  }
}
`;

test('the test for JUnit passes for a client that renews its token', async () => {
  await execute('java', ['-version']).catch(() => test.skip(true, 'Java is not installed.'));
  await using mock = await startMock({ controlKey: KEY });
  const file = test.info().outputPath('ExpiryTest.java');
  const withoutJUnit = block('java').replaceAll(/^import .*org\.junit.*\n/gm, '');
  writeFileSync(file, withoutJUnit.trimEnd().replace(/\}$/, javaClient));
  const run = await execute('java', [file], { env: variables(mock) }).catch((error) => error);
  expect(run.stdout, run.stderr).toContain('1 passed');
  expect(mock.journal({ reason: 'expired-on-order' })).toHaveLength(1);
});

const variables = (mock: Mock): NodeJS.ProcessEnv => ({
  ...process.env,
  MRS_BASE_URL: mock.url,
  MRS_MOCK_CONTROL_KEY: KEY,
});
