import { expect, it } from 'vitest';
import { type Credentials, Secret } from '../../../../src/fetch/http/signature.ts';
import { pageOf, refused, setUp } from '../../../fixtures/fetch-client-setup.ts';

const key = (name: string): Credentials => ({ accessKey: new Secret(name) });
const EXPIRED = refused('50111', 'Invalid key', 401);

/** A service that accepts one key at a time, and a client whose key is read again. */
function world(read: () => Credentials | undefined) {
  let valid = 'first';
  let readings = 0;
  const made = setUp(
    ({ headers }) => (headers['SVC-ACCESS-KEY'] === valid ? pageOf({ a: '1' }) : EXPIRED),
    {
      credentials: key('first'),
      renewCredentials: async () => {
        readings += 1;
        await Promise.resolve();
        return read();
      },
    },
  );
  return {
    ...made,
    readings: () => readings,
    accept: (name: string) => {
      valid = name;
    },
  };
}

it('a key that expires in a run is read again once, for all requests in flight', async () => {
  const { clock, call, accept, readings, client } = world(() => key('second'));
  await clock.run(call());
  accept('second');
  const replies = await clock.run(Promise.all([call(), call(), call(), call()]));
  expect(replies).toHaveLength(4);
  expect(readings()).toBe(1);
  expect(client.statistics().retries.timestamp).toBeGreaterThan(0);
});

it('keys may expire again and again', async () => {
  let nth = 0;
  const { clock, call, accept, readings } = world(() => key(`key ${nth}`));
  await clock.run(call());
  for (nth = 1; nth <= 5; nth += 1) {
    accept(`key ${nth}`);
    await clock.run(call());
  }
  expect(readings()).toBe(5);
});

it('the same key again ends the source', async () => {
  const { clock, call, fails, accept, readings, requests } = world(() => key('first'));
  await clock.run(call());
  accept('none');
  expect(await fails()).toMatchObject({ outcome: 'auth', code: '50111' });
  expect(readings()).toBe(1);
  expect(requests).toHaveLength(2);
});

it('a new key that is refused, too, ends the source', async () => {
  let nth = 0;
  const { clock, call, fails, accept, readings } = world(() => {
    nth += 1;
    return key(`key ${nth}`);
  });
  await clock.run(call());
  accept('none');
  expect(await fails()).toMatchObject({ outcome: 'auth' });
  expect(readings()).toBe(1);
});

it('a key that was never accepted is not read again', async () => {
  const { fails, accept, readings } = world(() => key('second'));
  accept('second');
  expect(await fails()).toMatchObject({ outcome: 'auth' });
  expect(readings()).toBe(0);
});

it('a failure to read it is logged without a secret, and ends the source', async () => {
  const { clock, call, fails, accept } = world(() => {
    throw new Error('The command of the credentials ended with exit code 3');
  });
  await clock.run(call());
  accept('none');
  expect(await fails()).toMatchObject({ outcome: 'auth' });
  expect(clock.logged).toContain(
    'warn: The credentials could not be read again: The command of the credentials ended with ' +
      'exit code 3',
  );
});
