import type { Endpoint } from '../../../src/catalogue/entry.ts';
import { isResult } from '../../../src/catalogue/index.ts';
import { Refusal } from '../protocol/errors.ts';
import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { success } from '../protocol/exchange.ts';
import type { Source } from '../protocol/source.ts';
import { submissionIn } from '../protocol/submission.ts';
import type { Verification } from './verification.ts';

const NO_VERIFICATION = 'contracts cannot be verified here';

/** Answers a submission with the GUID of its job, or the call for a job with its result. */
export async function answerSubmission(
  of: Endpoint,
  request: ServiceRequest,
  source: Source,
  verification: Verification | undefined,
): Promise<ServiceResponse> {
  const submission = submissionIn(of, request, source);
  if (verification === undefined) throw new Refusal('cannot-verify', NO_VERIFICATION);
  if (!isResult(of)) return success([await verification.submit(submission)]);
  return success([verification.result(submission.values.get('guid') ?? '')]);
}
