/** Which documented answer a request is owed. Pure: what it has to know of the request is in the `Call`. */
import { type Answer, answers, type OperationId } from '../contract/answers.ts';
import type { Upload } from '../contract/upload-operation.ts';
import type { Violation } from '../engine/prism-engine.ts';
import type { Client } from '../state/clients.ts';
import type { TokenStatus } from '../state/tokens.ts';
import type { UploadResult } from '../uploads/tle.ts';

export interface TokenCall {
  operation: 'obtainToken';
  /** The body is above the limit and was not read: nothing else is known. */
  tooLarge: boolean;
  violations: readonly Violation[];
  /** Every field is there once, with a value. */
  complete: boolean;
  /** The client whose credentials these are. */
  client: Client | undefined;
}

export interface DataCall {
  operation: 'readData';
  token: 'missing' | 'malformed' | TokenStatus;
  /** Whether its client lacks the scope. */
  unscoped?: boolean;
  violations: readonly Violation[];
}

export interface HealthCall {
  operation: 'checkHealth';
  violations: readonly Violation[];
}

export interface UploadCall {
  operation: OperationId;
  upload: Upload;
  token: DataCall['token'];
  /** What came of the file; it is not looked at without a live token. */
  reading?: UploadResult;
}

export type Call = TokenCall | DataCall | HealthCall | UploadCall;

/**
 * The refusals are JSON whatever was accepted, as RFC 9110 section 15.5.7 allows: 406 only stands in for a
 * success. So the token is looked at before the accept header, and a client learns first what matters more.
 */
export function expectedAnswer(call: Call): Answer {
  if ('upload' in call) return uploadAnswer(call);
  switch (call.operation) {
    case 'obtainToken':
      return tokenAnswer(call);
    case 'readData':
      return dataAnswer(call);
    case 'checkHealth':
      return acceptable(call) ? answers.healthy : answers.healthNotAcceptable;
  }
}

function tokenAnswer(call: TokenCall): Answer {
  if (call.tooLarge) return answers.tooLarge;
  const { violations } = call;
  if (violations.some(({ of }) => of === 'content-type')) return answers.unsupportedMediaType;
  const ofForm = violations.filter(({ of }) => of === 'form');
  if (!call.complete || ofForm.some(({ field }) => field !== 'grant_type')) return answers.invalidRequest;
  if (ofForm.length > 0) return answers.unsupportedGrantType;
  if (!call.client) return answers.wrongCredentials;
  return acceptable(call) ? answers.issued : answers.tokenNotAcceptable;
}

function dataAnswer(call: DataCall): Answer {
  switch (call.token) {
    case 'missing':
      return answers.missingToken;
    case 'malformed':
      return answers.malformedToken;
    case 'unknown':
      return answers.unknownToken;
    case 'expired':
      return answers.expired;
    case 'valid':
      if (call.unscoped) return answers.insufficientScope;
      return acceptable(call) ? answers.served : answers.dataNotAcceptable;
  }
}

function uploadAnswer({ upload, token, reading }: UploadCall): Answer {
  if (token !== 'valid') return upload.answers[`${token}-token`];
  return upload.answers[reading && 'records' in reading ? 'valid-upload' : 'invalid-upload'];
}

const acceptable = ({ violations }: Exclude<Call, UploadCall>): boolean =>
  !violations.some(({ of }) => of === 'accept');
