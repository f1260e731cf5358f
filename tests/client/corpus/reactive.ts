/**
 * Reads the data again and again, and renews its token when it is refused. One file without dependencies, to be copied.
 * MRS_POLL_INTERVAL: seconds between two reads, 0.2 to try it out; a minute suits a service. MRS_READERS: how many read.
 * MRS_PRINT=1: print how much was read.
 */
import { setTimeout as sleep } from 'node:timers/promises';

const { MRS_BASE_URL, MRS_CLIENT_ID = '', MRS_CLIENT_SECRET = '', MRS_POLL_INTERVAL = '0.2' } = process.env;
const form = { grant_type: 'client_credentials', client_id: MRS_CLIENT_ID, client_secret: MRS_CLIENT_SECRET };
let token: string | undefined;
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
    const body = new URLSearchParams(form);
    const answer = await call('/token/', { method: 'POST', headers, body }).catch(() => undefined);
    if (answer?.status === 200) {
      token = String(JSON.parse(answer.text).token);
      return token;
    }
    console.error(`no token: ${answer?.status ?? 'no answer'}`);
    await sleep(1000 * Math.max(wait, Number(answer?.headers.get('retry-after')) || 0));
  }
}

/** A token that is not the refused one. Who comes while it is asked for waits for the same. */
async function renew(refused?: string): Promise<string> {
  if (token !== undefined && token !== refused) return token;
  asking ??= ask().finally(() => {
    asking = undefined;
  });
  return asking;
}

async function readData(): Promise<unknown> {
  const headers = (bearer: string) => ({ accept: 'application/json', authorization: `Bearer ${bearer}` });
  const used = await renew();
  let answer = await call('/ods_data/', { headers: headers(used) });
  if (answer.status === 403) answer = await call('/ods_data/', { headers: headers(await renew(used)) }); // Only once.
  if (answer.status < 200 || answer.status > 299) throw new Error(`no data: ${answer.status}`);
  return JSON.parse(answer.text);
}

async function poll(): Promise<void> {
  for (let pause = Number(MRS_POLL_INTERVAL); ; await sleep(1000 * pause))
    try {
      const data = await readData();
      if (process.env.MRS_PRINT === '1')
        console.log(`read ${JSON.stringify(data).length} characters of JSON`);
      pause = Number(MRS_POLL_INTERVAL);
    } catch (error) {
      console.error(String(error));
      pause = Math.min(2 * pause, 60); // Whatever it is, asking faster fixes nothing.
    }
}

for (let n = Number(process.env.MRS_READERS ?? 1); n > 0; n--) void poll();
