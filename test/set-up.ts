import { afterAll, afterEach } from 'vitest';
import { closeAll } from './fixtures/when-over.ts';

/** Runs in front of each file of tests. */

afterEach(() => closeAll('test'));
afterAll(() => closeAll('file'));
