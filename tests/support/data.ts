/** Whether an answer gives away the data, told by what a good token brought. */
import { type Answered, type Evidence, exchanges, isSuccess, type Json } from './evidence.ts';

/** `unclear`: it may be the data in another form, or a refusal in an unusual one. */
export type Given = boolean | 'unclear';

/**
 * It does if it has the same bytes, or one of the same records, whatever the status; or with a 2xx, which a refusal
 * may have too, JSON of the same outline. Records that the token endpoint and the health checks send as well tell
 * nothing.
 */
export function givesData(answer: Answered, served: Answered, evidence: Evidence): Given {
  const [given, good] = [answer.response, served.response];
  if (given.digest === good.digest && (isSuccess(answer) || given.bodyBytes > TRIVIAL_BYTES)) return true;
  const elsewhere = recordsElsewhere(evidence);
  const records = recordsOf(good.json).filter((record) => !elsewhere.has(record));
  if (recordsOf(given.json).some((record) => records.includes(record))) return true;
  if (!isSuccess(answer)) return false;
  if (isRefused(given.json) || isRefused(good.json)) return 'unclear';
  if (!given.json.wellFormed || !good.json.wellFormed)
    return !good.json.wellFormed && given.mediaType === good.mediaType;
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
  const saysRefused = (given.fields ?? []).some((field) => SAYS_REFUSED.test(field));
  if (given.type !== good.type) return saysRefused ? false : 'unclear';
  if (!given.fields && !good.fields) return given.type === 'array' && !good.empty ? true : 'unclear';
  const telling = (fields: string[] = []) => fields.filter((field) => !SAYS_REFUSED.test(field));
  const [names, filled] = [telling(good.fields), telling(good.filled)];
  if ((given.filled ?? []).some((field) => filled.includes(field))) return true;
  const mayBeEmptyData = filled.length === 0 && (given.fields ?? []).some((field) => names.includes(field));
  return saysRefused && names.length > 0 && !mayBeEmptyData ? false : 'unclear';
}

const SAYS_REFUSED = /^(errors?|error[_-].*|message|msg|detail|title|status|code|reason|fault|success|ok)$/i;
