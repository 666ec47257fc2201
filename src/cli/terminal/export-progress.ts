import type { Effects } from '../../effects.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { type Console, counted } from './console.ts';

const TICK_MS = 500;
const MIB = 1024 * 1024;

export interface ExportProgress {
  /** An export begins; its bytes arrive at the path. */
  readonly start: (name: string, making: string) => void;
  close(): void;
}

/** Shows the name, the size and the time of the current export on a terminal. */
export function exportProgress(output: Console, effects: Effects): ExportProgress {
  const none = { name: '', making: '', startedMs: 0 };
  let current = none;
  const show = async (): Promise<void> => {
    const { name, making, startedMs } = current;
    // Folders and streams have no size of their own.
    const facts = await localDisk.stat(making).catch(() => undefined);
    if (name === '' || current === none) return;
    const seconds = Math.round((effects.now() - startedMs) / 1000);
    const size = facts?.kind === 'file' ? `${counted(facts.bytes / MIB)} MiB, ` : '';
    output.statusLine?.show(`${name}: ${size}${seconds} s`);
  };
  const end = output.isTerminal ? effects.every?.(TICK_MS, () => void show()) : undefined;
  return {
    start: (name, making) => {
      current = { name, making, startedMs: effects.now() };
    },
    close: () => {
      current = none;
      end?.();
      output.statusLine?.show('');
    },
  };
}
