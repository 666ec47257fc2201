import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { Fault } from '../../../src/fault.ts';
import { type Credentials, Secret } from '../../../src/fetch/http/signature.ts';

export interface BackgroundService {
  readonly url: string;
  /** Random credentials of this service. */
  readonly credentials: Credentials;
  stop(): void;
}

const readySchema = z.object({ url: z.string() });

/** Starts `windrow serve` with a growing chain in another process, on a free port. */
export async function serveInBackground(chain: string, head: number): Promise<BackgroundService> {
  const [accessKey, secretKey, passphrase] = [newSecret(), newSecret(), newSecret()];
  const main = fileURLToPath(new URL('../../cli/main.js', import.meta.url));
  const child = spawn(
    process.execPath,
    [
      main,
      ...`serve --chain ${chain} --head ${head} --stream-speed 0.2 --port 0 --json`.split(' '),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        WINDROW_ACCESS_KEY: accessKey,
        WINDROW_SECRET_KEY: secretKey,
        WINDROW_PASSPHRASE: passphrase,
      },
    },
  );
  const url = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', (line) => {
      resolve(readySchema.parse(JSON.parse(line)).url);
    });
    child.once('error', reject);
    child.once('exit', (code) => {
      const advice = 'Start it by hand to see why: windrow serve --chain demo --no-auth';
      reject(new Fault('unreachable', `The service ended with code ${code}.`, { advice }));
    });
  });
  return {
    url,
    credentials: {
      accessKey: new Secret(accessKey),
      secretKey: new Secret(secretKey),
      passphrase: new Secret(passphrase),
    },
    stop: () => {
      child.kill();
    },
  };
}

function newSecret(): string {
  return randomBytes(16).toString('hex');
}
