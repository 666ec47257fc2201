import { type Slice, sliceId } from '../coverage/slice.ts';
import type { Plan, PlannedRequest } from './plan.ts';

/** Maps each slice to the request that planned it: two requests may use one list. */
export function requestsOf(plan: Plan): (slice: Slice) => PlannedRequest {
  const requests = new Map<Slice, PlannedRequest>();
  for (const planned of plan.requests) {
    for (const slice of planned.slices) requests.set(slice, planned);
  }
  return (slice) => {
    const planned = requests.get(slice);
    if (planned === undefined) throw new Error(`no request has the slice ${sliceId(slice)}`);
    return planned;
  };
}
