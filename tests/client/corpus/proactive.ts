/**
 * Reads the data again and again, and renews its token before it expires. One file without dependencies, to be copied.
 * MRS_TOKEN_LIFETIME: what was agreed, in seconds. A call that is refused anyway is not repeated at once.
 * MRS_POLL_INTERVAL: seconds between two reads, 0.2 to try it out; a minute suits a service. MRS_READERS: how many read.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const { MRS_BASE_URL, MRS_CLIENT_ID = '', MRS_CLIENT_SECRET = '', MRS_POLL_INTERVAL = '0.2' } = process.env;
const form = { grant_type: 'client_credentials', client_id: MRS_CLIENT_ID, client_secret: MRS_CLIENT_SECRET };
const LIFETIME = Number(process.env.MRS_TOKEN_LIFETIME);
if (!(LIFETIME > 0)) throw new Error('MRS_TOKEN_LIFETIME is to be the seconds that a token lives.');
const USED = 0.8 * LIFETIME; // The rest is for slow calls, and for clocks that are not quite the same.
let token = '';
let renewAt = 0; // By the clock of the day, which goes on while the machine sleeps.
let asking: Promise<string> | undefined;

async function call(path: string, init: RequestInit) {
  const limits = { redirect: 'error', signal: AbortSignal.timeout(10_000) } as const; // The secret goes nowhere else.
  const answer = await fetch(MRS_BASE_URL + path, { ...init, ...limits });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

/** Asks until there is a token, and waits longer each time. */
async function ask(): Promise<string> {
  const headers = { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' };
  for (let wait = 0.5; ; wait = Math.min(2 * wait, 60)) {
    const asked = Date.now(); // Before the call: the token's time may begin at any moment of it.
    const body = new URLSearchParams(form);
    const answer = await call('/token/', { method: 'POST', headers, body }).catch(() => undefined);
    if (answer?.status === 200) {
      token = String(JSON.parse(answer.text).token);
      renewAt = asked + 1000 * USED;
      return token;
    }
    console.error(`no token: ${answer?.status ?? 'no answer'}`);
    await sleep(1000 * Math.max(wait, Number(answer?.headers.get('retry-after')) || 0));
  }
}

/** The token, a new one where its time is nearly over. Who comes while it is asked for waits for the same. */
async function current(): Promise<string> {
  if (Date.now() < renewAt) return token;
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

async function readData(): Promise<unknown> {
  const headers = { accept: 'application/json', authorization: `Bearer ${await current()}` };
  const answer = await call('/ods_data/', { headers });
  if (answer.status < 200 || answer.status > 299) throw new Error(`no data: ${answer.status}`);
  return JSON.parse(answer.text);
}

async function poll(): Promise<void> {
  for (let pause = Number(MRS_POLL_INTERVAL); ; await sleep(1000 * pause))
    try {
      await readData();
      pause = Number(MRS_POLL_INTERVAL);
    } catch (error) {
      console.error(String(error));
      pause = Math.min(2 * pause, 60); // Whatever it is, asking faster fixes nothing.
    }
}

for (let n = Number(process.env.MRS_READERS ?? 1); n > 0; n--) void poll();
