/** Calls of a correct client, by hand. */

export const SECRET = 'hush-hush-hush-4711';

export interface Seen {
  status: number;
  headers: Headers;
  body: { token?: string; error_description?: string };
}

async function seen(asking: Promise<Response>): Promise<Seen> {
  const response = await asking;
  const text = await response.text();
  return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) };
}

/** A token request of this client. */
export const ask = (url: string, id = 'acme', secret = SECRET): Promise<Seen> =>
  seen(
    fetch(`${url}/token/`, {
      method: 'POST',
      headers: { accept: 'application/json' },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
    }),
  );

/** A read with this token. */
export const read = (url: string, token = '', path = '/ods_data/'): Promise<Seen> =>
  seen(fetch(url + path, { headers: { accept: 'application/json', authorization: `Bearer ${token}` } }));

/** The token that this client is issued. */
export async function tokenFrom(url: string, id = 'acme'): Promise<string> {
  const { status, body } = await ask(url, id);
  if (body.token === undefined) throw new Error(`There is no token in the answer, which is ${status}.`);
  return body.token;
}
