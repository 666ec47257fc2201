import type { Operator } from 'opendal';
import type { Effects } from '../../effects.ts';
import { Fault, wordsOf } from '../../fault.ts';
import type { ObjectFacts, ObjectStore } from './object-store.ts';

/** Bodies above this are sent in parts of this size. */
const PART_BYTES = 32 * 1024 * 1024;
/** A request is sent this often at most, which takes about a minute. */
const MAX_TRIES = 9;
const FIRST_DELAY_MS = 100;
const MAX_DELAY_MS = 20_000;

/** An answer that says to try again: a race for the key, a throttle, or a fault of the service. */
const PASSING = /^[^=]*\(temporary\)|status: (408|409|429|500|502|503|504)\b|^RateLimited\b/;

type StoreEffects = Pick<Effects, 'sleep' | 'random' | 'log'>;

/** Loads OpenDAL, an optional package with a native library. */
export async function openOperator(
  service: string,
  settings: Record<string, string>,
  address: string,
): Promise<Operator> {
  const opendal = await import('opendal').catch((cause: unknown) => {
    throw new Fault('configuration', 'The package opendal cannot be loaded.', {
      where: address,
      advice: 'Object stores need it: npm install opendal@0.49.2, beside windrow.',
      cause,
    });
  });
  const limit = new opendal.TimeoutLayer();
  limit.timeout = 30_000;
  limit.ioTimeout = 120_000;
  try {
    return new opendal.Operator(service, settings).layer(limit.build());
  } catch (error) {
    throw storeFault(error, address);
  }
}

/** An object store through OpenDAL. Requests that fail for a passing reason are repeated. */
export function opendalStore(
  operator: () => Promise<Operator>,
  address: string,
  effects: StoreEffects,
): ObjectStore {
  const again = async <T>(work: (store: Operator) => Promise<T>): Promise<T> => {
    const store = await operator();
    for (let tries = 1; ; tries += 1) {
      try {
        return await work(store);
      } catch (error) {
        if (tries === MAX_TRIES || !PASSING.test(wordsOf(error))) throw error;
        const longestMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tries);
        effects.log('debug', `${address} did not answer; trying again: ${wordsOf(error)}`);
        await effects.sleep(longestMs * (0.5 + effects.random() / 2));
      }
    }
  };
  /** Undefined for an object that does not exist. */
  const ifThere = <T>(work: (store: Operator) => Promise<T>): Promise<T | undefined> =>
    again(work).catch((error: unknown) => {
      if (wordsOf(error).startsWith('NotFound')) return undefined;
      throw storeFault(error, address);
    });
  const get: ObjectStore['get'] = (key, range) =>
    ifThere((store) => {
      if (range === undefined) return store.read(key);
      const size = BigInt(range.to - range.from + 1);
      return store.read(key, { offset: BigInt(range.from), size });
    });
  return {
    async putIfAbsent(key, body) {
      try {
        await again((store) => store.write(key, body, { ifNotExists: true }));
        return true;
      } catch (error) {
        if (!/^(ConditionNotMatch|AlreadyExists)\b/.test(wordsOf(error))) {
          throw storeFault(error, address);
        }
        // The object may be the result of an earlier request whose answer was lost.
        return (await get(key))?.equals(body) === true;
      }
    },
    async put(key, body) {
      await again((store) => sendBody(store, key, body)).catch((error: unknown) => {
        throw storeFault(error, address);
      });
    },
    get,
    facts: (key) =>
      ifThere(async (store) => {
        const { contentLength, lastModified } = await store.stat(key);
        return { key, bytes: Number(contentLength), modifiedMs: timeOf(lastModified) };
      }),
    async list(folder, depth) {
      const options = depth === 'all' ? { recursive: true } : {};
      const entries = (await ifThere((store) => store.list(folder, options))) ?? [];
      return entries.flatMap((entry): ObjectFacts[] => {
        const key = entry.path();
        if (key === folder || (depth === 'all' && key.endsWith('/'))) return [];
        const { contentLength, lastModified } = entry.metadata();
        return [{ key, bytes: Number(contentLength ?? 0), modifiedMs: timeOf(lastModified) }];
      });
    },
    async delete(key) {
      await ifThere((store) => store.delete(key));
    },
  };
}

async function sendBody(store: Operator, key: string, body: Buffer): Promise<void> {
  if (body.length <= PART_BYTES) {
    await store.write(key, body);
    return;
  }
  const writer = await store.writer(key, { chunk: BigInt(PART_BYTES) });
  for (let at = 0; at < body.length; at += PART_BYTES) {
    await writer.write(body.subarray(at, at + PART_BYTES));
  }
  await writer.close();
}

function timeOf(text: string | null): number {
  return text === null ? 0 : Date.parse(text) || 0;
}

/** OpenDAL names the kind of a failure in the first word, and the code of the service in quotes. */
function storeFault(error: unknown, address: string): unknown {
  if (error instanceof Fault) return error;
  const message = wordsOf(error);
  const [, code = ''] = /code: "(\w+)"/.exec(message) ?? [];
  const said = (/message: "([^"]*)"/.exec(message)?.[1] ?? message.split('=> ').at(-1) ?? '').slice(
    0,
    300,
  );
  const reason = `${code} ${said}`.trim().replace(/\.+$/, '');
  const details = { where: address, cause: error };
  if (/NoSuchBucket|InvalidBucketName|ContainerNotFound/.test(message)) {
    const advice = 'Create the bucket, or correct its name in --data.';
    return new Fault('configuration', 'The object store has no such bucket.', {
      ...details,
      advice,
    });
  }
  if (/^PermissionDenied|status: 40[13]\b|credential/i.test(message)) {
    return new Fault('authentication', `The object store refuses access: ${reason}.`, {
      ...details,
      advice:
        'windrow uses the credentials that other tools of the provider use: the environment, a ' +
        'profile, or the identity of the machine. They must be valid, and may read, write, list ' +
        'and delete objects under this prefix.',
    });
  }
  if (message.startsWith('ConfigInvalid')) {
    const advice =
      'Name the region in AWS_REGION, and the address of other stores in AWS_ENDPOINT_URL.';
    return new Fault('configuration', `The object store cannot be used: ${reason}.`, {
      ...details,
      advice,
    });
  }
  return new Fault('unreachable', `The object store does not answer: ${reason}.`, {
    ...details,
    advice:
      'Check the network and AWS_ENDPOINT_URL, then run the command again: committed data is safe.',
  });
}
