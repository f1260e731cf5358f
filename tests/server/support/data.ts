/** Whether an answer holds the data, by comparison with the answer to a valid token. */
import { type Answered, type Evidence, exchanges, isSuccess, type Json } from './evidence.ts';

/** `unclear`: it may be the data in another form, or a refusal in an unusual one. */
export type Given = boolean | 'unclear';

/**
 * An answer holds the data if it has the same bytes, distinctive values of the data in whatever form, or the same
 * records. In a refusal, more than half of the records must be the same, since an envelope may have records of its own.
 * What a refusal shares with an answer without data is the envelope. With a 2xx status, other records of the same kind are enough. Everything else is a refusal, whatever it looks like.
 * Records that the token endpoint or a health check sends too do not count.
 */
export function givesData(answer: Answered, served: Answered, evidence: Evidence): Given {
  const given = answer.response;
  const good = { ...served.response, json: withoutBeside(served.response.json) };
  const isEnvelope = good.json.wellFormed && (good.json.empty || good.json.vacant === true);
  if (given.digest === good.digest && (isSuccess(answer) || (given.bodyBytes > TRIVIAL_BYTES && !isEnvelope)))
    return true;
  const { found, of } = given.values ?? { found: 0, of: 0 };
  if (found >= TELLING_VALUES) return true;
  const elsewhere = recordsElsewhere(evidence);
  const records = recordsOf(good.json).filter((record) => !elsewhere.has(record));
  const shared = recordsOf(given.json).filter((record) => records.includes(record)).length;
  const refuses = !isSuccess(answer) || saysRefused(given.json, good.json);
  if (refuses ? shared > 1 && shared * 2 > records.length : shared > 0) return true;
  if (!isSuccess(answer)) return hasRecordsOfAllFields(given.json, good.json);
  if (wasNotParsed(given.json) || wasNotParsed(good.json)) return 'unclear';
  if (!good.json.wellFormed) return !given.json.wellFormed && given.mediaType === good.mediaType;
  if (given.json.wellFormed) {
    const like = likeness(given.json, good.json);
    return like === 'unclear' && of >= TELLING_VALUES && given.json.type === 'string' ? false : like;
  }
  // JSON with other text before or after it may still be the data, where no value of it is known.
  return of < TELLING_VALUES && /^\ufeff?\s*[[{]/.test(given.excerpt) ? 'unclear' : false;
}

/**
 * How a later success differs from the data, as a noun phrase that says what was expected: undefined where it does not.
 * The data may have changed meanwhile, and its shape with it, which the specification does not show: one record, a list,
 * none, or a member that is left out. No content is data too.
 */
export function unlikeData({ response }: Answered, { response: good }: Answered): string | undefined {
  if (response.bodyBytes === 0 || !good.json.wellFormed) return undefined;
  if (!response.json.wellFormed) return response.json.refused ? undefined : 'JSON, as in the first answer';
  const [given, first] = [response.json, good.json];
  if (speaksOnlyOfError(given) && !speaksOnlyOfError(first)) return 'the data, not an error';
  if (isListOfErrors(given) && !isListOfErrors(first)) return 'the data, not errors';
  if (given.empty) return undefined;
  const isOfOneType = given.type === first.type;
  if (!isOfOneType && !first.empty && isScalar(given) !== isScalar(first))
    return `JSON of the type ${first.type}, as in the first answer`;
  if (given.type === 'object' && !given.records && saysError(given, first)) return 'the data, not an error';
  // Records by their ids: the members are others each time.
  if (first.empty || first.keyed || given.keyed) return undefined;
  const [names, others] = [given, first].map(namesIn) as [string[], string[]];
  const isKnown = names.length === 0 || others.length === 0 || names.some((name) => others.includes(name));
  return isKnown || (isOfOneType && given.records)
    ? undefined
    : `the members of the first answer: ${first.fields?.join(', ')}`;
}

/** Whether an object holds nothing but what errors are described with. */
export const speaksOnlyOfError = (json: Json): boolean =>
  json.wellFormed &&
  json.type === 'object' &&
  (json.filled ?? []).some((field) => SAYS_ERROR.test(field)) &&
  (json.filled ?? []).every((field) => SAYS_REFUSED.test(field)) &&
  !(json.fields ?? []).some((field) => !SAYS_REFUSED.test(field));

/** One value may be the same by chance, such as a time. */
const TELLING_VALUES = 2;

/** `null`, `{}`, `[]`: a body that no two services need agree on to have in common. */
const TRIVIAL_BYTES = 4;

type Described = Extract<Json, { wellFormed: true }>;

/** What describes an answer is no data. */
function withoutBeside(json: Json): Json {
  if (!json.wellFormed || !json.beside || !json.records) return json;
  const { records, recordFields, blankRecord, ...rest } = json;
  const own = records.slice(0, -json.beside);
  if (own.length === 0) return rest;
  return {
    ...rest,
    records: own,
    ...(recordFields && { recordFields }),
    ...(blankRecord && { blankRecord }),
  };
}

const wasNotParsed = (json: Json) => !json.wellFormed && json.refused === true;
const recordsOf = (json: Json) => (json.wellFormed ? (json.records ?? []) : []);

function recordsElsewhere(evidence: Evidence): Set<string> {
  const others = exchanges(evidence).filter(({ request }) => !request.path.startsWith('/ods_data'));
  return new Set(others.flatMap(({ response }) => (response ? recordsOf(response.json) : [])));
}

/** Of two bodies with other bytes: by their records, and without any by the members that have a value in both. */
function likeness(given: Described, good: Described): Given {
  const telling = (fields: string[] = []) => fields.filter((field) => !SAYS_REFUSED.test(field));
  if (good.records) {
    if (!given.records) return false;
    const [names, others] = [telling(good.recordFields), telling(given.recordFields)];
    const isSameKind =
      names.length === 0
        ? others.length === 0 && given.type === good.type
        : others.filter((name) => names.includes(name)).length * 2 >= names.length;
    if (!isSameKind || isOnlyExample(given, good)) return false;
    return saysRefused(given, good) ? 'unclear' : true;
  }
  if (given.type !== good.type || given.empty) return given.type === good.type && good.empty && given.empty;
  if (given.type !== 'object') return given.type === 'array' ? !given.records : 'unclear';
  if (saysRefused(given, good)) return false;
  const [names, filled] = [telling(good.fields), telling(good.filled)];
  const common = telling(given.filled).filter((field) => filled.includes(field)).length;
  if (filled.length > 0) return common * 2 > filled.length;
  const speaksSo = (given.fields ?? []).some((field) => SAYS_REFUSED.test(field));
  return !speaksSo && names.some((field) => given.fields?.includes(field)) ? 'unclear' : false;
}

/** Whether a member has a value that says why, where the data has none. */
const saysRefused = (given: Json, good: Json): boolean =>
  given.wellFormed && good.wellFormed && newlyFilled(given, good).some((field) => SAYS_WHY.test(field));

const newlyFilled = (given: Described, good: Described): string[] =>
  (given.filled ?? []).filter((field) => !good.filled?.includes(field));

/** Whether the records of a refusal have every member that those of the data have, of which there are several. */
function hasRecordsOfAllFields(given: Json, good: Json): boolean {
  if (!given.wellFormed || !good.wellFormed || !given.records || isOnlyExample(given, good)) return false;
  const names = (good.recordFields ?? []).filter((field) => !SAYS_REFUSED.test(field));
  return names.length > 1 && names.every((name) => given.recordFields?.includes(name));
}

/** A refusal may have an example of a record, as documents have. */
const isOnlyExample = (given: Described, good: Described): boolean =>
  given.blankRecord === true && !good.blankRecord;

const isScalar = ({ type }: Described): boolean => !['object', 'array', 'null'].includes(type);

const namesIn = ({ fields = [], recordFields = [] }: Described): string[] => [...fields, ...recordFields];

/** A success that says in a member what went wrong. One record may have a reason too, among many members. */
function saysError(given: Described, first: Described): boolean {
  const filled = newlyFilled(given, first);
  if (given.type === first.type && !first.empty) {
    const isFramed = (given.fields ?? []).some(
      (field) => first.fields?.includes(field) && !SAYS_REFUSED.test(field),
    );
    return filled.some((field) => (isFramed ? SAYS_ERROR : SAYS_WHY).test(field));
  }
  const others = filled.filter((field) => !SAYS_REFUSED.test(field)).length;
  return (
    filled.some((field) => IS_ERROR.test(field)) ||
    (filled.some((field) => SAYS_WHY.test(field)) && others * 2 <= filled.length)
  );
}

const isListOfErrors = ({ type, recordFields = [] }: Described): boolean =>
  type === 'array' &&
  recordFields.some((field) => SAYS_WHY.test(field)) &&
  recordFields.every((field) => SAYS_REFUSED.test(field));

/** What only errors have, and what a success may have too. */
const IS_ERROR = /^(errors?|error[_-].*|fault)$/i;
const SAYS_ERROR = /^(errors?|error[_-].*|fault|detail)$/i;
const SAYS_WHY = /^(errors?|error[_-].*|message|msg|detail|reason|fault)$/i;
const SAYS_REFUSED = /^(errors?|error[_-].*|message|msg|detail|title|status|code|reason|fault|success|ok)$/i;
