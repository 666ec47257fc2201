import { z } from 'zod';
import type { Effects } from '../../../src/effects.ts';
import { Fault } from '../../../src/fault.ts';
import { partsOf } from '../answer/routes.ts';
import type { FaultControl } from '../faults/faults.ts';
import { Refusal } from '../protocol/errors.ts';
import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { contentTypeOf, refused, success } from '../protocol/exchange.ts';
import { MOST_REORGANISED_BLOCKS, type Source } from '../protocol/source.ts';
import { faultPlanIn, NO_FAULTS } from '../settings/fault-plan.ts';
import { type Listener, listen } from './listener.ts';
import type { Answering } from './service.ts';

export interface AdminOptions {
  readonly faults: FaultControl;
  readonly source: Source;
  readonly effects: Effects;
}

/** Only this machine, whatever address the service itself listens on. */
const ADMIN_HOST = '127.0.0.1';
const MOST_GROWN_BLOCKS = 1_000_000;

type Act = (body: string) => unknown;

/** The actions, by path and then by method. */
type Acts = Readonly<Record<string, Readonly<Record<string, Act>>>>;

/**
 * The administration of a running service: faults on demand, and a chain that moves on request.
 * Answers are envelopes like those of the service.
 */
export function createAdmin(options: AdminOptions): Answering {
  const acts = actsOf(options);
  const { effects } = options;
  return {
    answer: async (request) => {
      try {
        return answerTo(request, acts);
      } catch (error) {
        return responseTo(error, effects);
      }
    },
    refuse: (kind, message) => refused(kind, message),
  };
}

/**
 * Serves the administration on a port of its own. Only this machine can reach it, and every request
 * must name the port in `Host`. Rejects with a Fault('port-taken').
 */
export function listenForAdmin(
  admin: Answering,
  port: number,
  effects: Effects,
): Promise<Listener> {
  return listen(admin, { host: ADMIN_HOST, port, effects, needsOwnPort: true });
}

function actsOf({ faults, source }: AdminOptions): Acts {
  const state = () => ({
    plan: faults.plan,
    struck: faults.struck,
    rejected: faults.rejected,
  });
  const replaced = (plan: FaultControl['plan']) => {
    faults.replace(plan);
    return state();
  };
  const height = () => ({ primaryHeight: String(source.head('primary')) });
  return {
    '/admin/faults': {
      GET: state,
      POST: (body) => replaced(faultPlanIn(body)),
      DELETE: () => replaced(NO_FAULTS),
    },
    '/admin/reorganise': {
      POST: (body) => {
        const depth = numberIn(body, 'depth', MOST_REORGANISED_BLOCKS);
        if (source.reorganise === undefined) {
          throw new Refusal('cannot-move', 'the served data cannot be reorganised');
        }
        source.reorganise(depth);
        return height();
      },
    },
    '/admin/grow': {
      POST: (body) => {
        const blocks = numberIn(body, 'blocks', MOST_GROWN_BLOCKS);
        if (source.growTo === undefined) {
          throw new Refusal('cannot-move', 'the served data cannot grow');
        }
        source.growTo(source.head('primary') + blocks);
        return height();
      },
    },
  };
}

function answerTo(request: ServiceRequest, acts: Acts): ServiceResponse {
  const { method, target, body } = request;
  const { path } = partsOf(target);
  const methods = Object.hasOwn(acts, path) ? acts[path] : undefined;
  if (methods === undefined) throw new Refusal('unknown-path', 'there is no such path');
  const act = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (act === undefined) {
    const allow = Object.keys(methods).join(', ');
    throw new Refusal('wrong-method', `this path takes ${allow}`, { allow });
  }
  // A browser page on this machine cannot send this content type to another origin.
  if (method === 'POST' && contentTypeOf(request) !== 'application/json') {
    throw new Refusal('wrong-content-type', 'the content type must be application/json');
  }
  return success([act(body)]);
}

/** The single number in the body, under `name`. */
function numberIn(body: string, name: string, most: number): number {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    throw new Refusal('malformed-body', 'the body is not JSON');
  }
  const parsed = z.strictObject({ [name]: z.int().min(1).max(most) }).safeParse(value);
  const number = parsed.success ? parsed.data[name] : undefined;
  if (number !== undefined) return number;
  const advice = `send {"${name}": N} with a whole number from 1 to ${most}, and nothing else`;
  throw new Refusal('invalid-faults', `this is not a valid number of blocks: ${advice}`);
}

function responseTo(error: unknown, effects: Effects): ServiceResponse {
  if (error instanceof Refusal) return refused(error.kind, error.message, error.headers);
  if (error instanceof Fault) return refused('cannot-move', error.paragraph());
  if (error instanceof RangeError) return refused('cannot-move', error.message);
  const reason = error instanceof Error ? (error.stack ?? error.message) : String(error);
  effects.log('warn', `The administration failed: ${reason}`);
  return refused('internal', 'the service failed');
}
