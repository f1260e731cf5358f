// @ts-check
/** The control of the mock, as control.openapi.yaml describes it. */

/** @typedef {{ mode: 'real' | 'frozen' | 'scaled', now: string, scale: number, nextExpiry?: string }} ClockState */
/** @typedef {'valid' | 'expired' | 'unknown'} Standing */
/**
 * @typedef {object} Token
 * @property {string} name
 * @property {Standing} standing
 * @property {string} issuedAt
 * @property {string} expiresAt
 * @property {'expired' | 'revoked'} [ended]
 * @property {string} [endedAt]
 */
/**
 * @typedef {object} Client
 * @property {string} id
 * @property {number[]} tokenLifetimesSeconds
 * @property {number} jitter
 * @property {number} skewSeconds
 * @property {number} aheadSeconds
 * @property {object[]} script
 * @property {number} tokensIssued
 * @property {Token[]} tokens
 */
/**
 * @typedef {object} Entry
 * @property {number} seq
 * @property {string} at
 * @property {string} wallAt
 * @property {number} durationMs
 * @property {string} [client]
 * @property {string} [operation]
 * @property {string} method
 * @property {string} path
 * @property {string[]} query
 * @property {{ accept?: string, contentType?: string, authorization?: string, fields?: string[] }} request
 * @property {{ contentType?: string, bytes: number }} response
 * @property {number} status
 * @property {string} reason
 * @property {number[]} [script]
 * @property {'reset' | 'cut' | 'gone'} [ended]
 * @property {{ name: string, standing: Standing, ageSeconds: number, remainingSeconds: number }} [token]
 */
/** @typedef {{ name: string, summary: string, script: object[] }} Scenario */
/**
 * @typedef {object} Contract
 * @property {string} basePath
 * @property {string} [service] the base URL of a real service, which a proxy shows
 * @property {{ id: string, method: string, path: string, summary: string }[]} operations
 * @property {{ answers: string, choice: string, reason: string }[]} assumptions
 */
/** @typedef {{ verdict: 'failed' | 'warned', scenario: string, seen: string, calls: number[] }} Finding */
/**
 * @typedef {object} JudgedRule
 * @property {string} id
 * @property {string} [clause]
 * @property {'passed' | 'failed' | 'warned' | 'could-not-run' | 'not-applicable'} verdict
 * @property {string} statement
 * @property {string} advice
 * @property {Finding[]} findings
 */
/**
 * @typedef {object} Certificate
 * @property {'reactive' | 'proactive' | 'both' | 'none'} strategy
 * @property {number} [marginSeconds]
 * @property {{ asked: number, needed: number }} tokens
 * @property {JudgedRule[]} rules
 */
/** @typedef {{ method?: string, body?: string, headers?: Record<string, string>, signal?: AbortSignal }} Asking */

/** The mock answered that it will not; the message is its own sentence. */
export class Refused extends Error {
  /** @param {number} status @param {string} sentence */
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}

/** What the mock takes for a key: others are invalid in a header. */
const KEY = /^[\w.~+/-]+=*$/;

export function createWire() {
  let key = '';

  /** Throws Refused; whatever else it throws means that no one answered. @param {string} path @param {Asking} asking */
  async function open(path, { headers, ...asking } = {}) {
    if (!KEY.test(key)) throw new Refused(401, 'This is not a key.');
    const response = await fetch(`/__mock/${path}`, {
      ...asking,
      headers: { ...headers, authorization: `Bearer ${key}` },
      cache: 'no-store',
      credentials: 'omit',
    });
    if (response.ok) return response;
    throw new Refused(response.status, await sentenceOf(response));
  }

  return {
    /** @param {string} text */
    use(text) {
      key = text.trim();
    },
    open,
    /** @param {string} path @param {Asking} [asking] @returns {Promise<any>} */
    async read(path, asking) {
      return (await open(path, asking)).json();
    },
    /** @param {string} method @param {string} path @param {unknown} [body] @returns {Promise<any>} */
    async send(method, path, body) {
      const text = typeof body === 'string' ? body : JSON.stringify(body);
      const response = await open(path, {
        method,
        ...(body !== undefined && { body: text, headers: { 'content-type': 'application/json' } }),
      });
      return response.status === 204 ? undefined : response.json();
    },
  };
}

/** @typedef {ReturnType<typeof createWire>} Wire */

/** @param {Response} response */
async function sentenceOf(response) {
  try {
    const { error_description: sentence } = await response.json();
    if (typeof sentence === 'string') return sentence;
  } catch {
    // It is no answer of the control: the status says what there is to say.
  }
  return `The mock answered with ${response.status}.`;
}
