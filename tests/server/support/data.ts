/** Whether an answer contains the data, by comparison with the answer to a valid token. */
import { type Answered, type Evidence, exchanges, isSuccess, type Json } from './evidence.ts';

/** `unclear`: it may be the data in another form, or a refusal in an unusual one. */
export type Given = boolean | 'unclear';

/**
 * An answer contains the data if it has the same bytes, whatever its status, or the same records. In a refusal, more than
 * half of the records must be the same, since an envelope may have records of its own. With a 2xx status, JSON of the
 * same outline is enough. Records that the token endpoint or a health check sends too do not count.
 */
export function givesData(answer: Answered, served: Answered, evidence: Evidence): Given {
  const [given, good] = [answer.response, served.response];
  if (given.digest === good.digest && (isSuccess(answer) || given.bodyBytes > TRIVIAL_BYTES)) return true;
  const elsewhere = recordsElsewhere(evidence);
  const records = recordsOf(good.json).filter((record) => !elsewhere.has(record));
  const shared = recordsOf(given.json).filter((record) => records.includes(record)).length;
  const refuses = !isSuccess(answer) || saysRefused(given.json, good.json);
  if (refuses ? shared > 1 && shared * 2 > records.length : shared > 0) return true;
  if (!isSuccess(answer)) return false;
  if (isRefused(given.json) || isRefused(good.json)) return 'unclear';
  if (!good.json.wellFormed) return !given.json.wellFormed && given.mediaType === good.mediaType;
  // JSON with other text before or after it may still be the data.
  if (!given.json.wellFormed) return /^\ufeff?\s*[[{]/.test(given.excerpt) ? 'unclear' : false;
  return likeness(given.json, good.json);
}

/** `null`, `{}`, `[]`: a body that no two services need agree on to have in common. */
const TRIVIAL_BYTES = 4;

type Described = Extract<Json, { wellFormed: true }>;

const isRefused = (json: Json) => !json.wellFormed && json.refused === true;
const recordsOf = (json: Json) => (json.wellFormed ? (json.records ?? []) : []);

function recordsElsewhere(evidence: Evidence): Set<string> {
  const others = exchanges(evidence).filter(({ request }) => !request.path.startsWith('/ods_data'));
  return new Set(others.flatMap(({ response }) => (response ? recordsOf(response.json) : [])));
}

/** Of two bodies with other bytes: by the members that have a value in both, and by how refusals speak. */
function likeness(given: Described, good: Described): Given {
  if (given.empty) return false;
  const speaksSo = (given.fields ?? []).some((field) => SAYS_REFUSED.test(field));
  if (given.type !== good.type) return speaksSo ? false : 'unclear';
  if (!given.fields && !good.fields) return given.type === 'array' && !good.empty ? true : 'unclear';
  // An envelope has members in common with the data; in a refusal there are no records in it.
  if (saysRefused(given, good)) return given.type === 'object' && given.records ? 'unclear' : false;
  const telling = (fields: string[] = []) => fields.filter((field) => !SAYS_REFUSED.test(field));
  const [names, filled] = [telling(good.fields), telling(good.filled)];
  if ((given.filled ?? []).some((field) => filled.includes(field))) return true;
  const mayBeEmptyData = filled.length === 0 && (given.fields ?? []).some((field) => names.includes(field));
  return speaksSo && names.length > 0 && !mayBeEmptyData ? false : 'unclear';
}

/** Whether a member has a value that says why, where the data has none. */
function saysRefused(given: Json, good: Json): boolean {
  if (!given.wellFormed || !good.wellFormed) return false;
  return (given.filled ?? []).some((field) => SAYS_WHY.test(field) && !good.filled?.includes(field));
}

const SAYS_WHY = /^(errors?|error[_-].*|message|msg|detail|reason|fault)$/i;
const SAYS_REFUSED = /^(errors?|error[_-].*|message|msg|detail|title|status|code|reason|fault|success|ok)$/i;
