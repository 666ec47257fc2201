import type { Endpoint } from '../../catalogue/entry.ts';
import { Refusal } from '../protocol/errors.ts';
import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { success } from '../protocol/exchange.ts';
import type { Source } from '../protocol/source.ts';
import { submissionIn } from '../protocol/submission.ts';
import type { Verification } from './verification.ts';

/** The call for a job's result has the path of the submission and this segment. */
const RESULT_SEGMENT = 'check-verify-result';

/**
 * The operation that gives the result of a submission. The interface leaves it out, so it is not in
 * the catalogue; this is its form in real deployments.
 */
export function resultOf(submission: Endpoint): Endpoint {
  const { path, params, contradictions: _, ...rest } = submission;
  return {
    ...rest,
    path: [...path.split('/').slice(0, -1), RESULT_SEGMENT].join('/'),
    summary: `Result of a ${submission.summary.toLowerCase()}`,
    params: [
      ...params.filter(({ role }) => role === 'chain'),
      {
        name: 'guid',
        type: 'String',
        required: true,
        meaning: 'job, as the submission answered it, with or without 0x',
        role: 'body',
      },
    ],
    contradictions: [
      'The interface leaves this call out: its form is that of real deployments.',
      'data holds one text: Pending, Success or Fail.',
    ],
  };
}

/** Whether the operation is the call for a result. */
export function isResult({ path }: Endpoint): boolean {
  return path.endsWith(`/${RESULT_SEGMENT}`);
}

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
