import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../../effects.ts';
import { type Disk, isCode, isFull } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { type PipelineAlerts, pipelineAlertsSchema } from './rules/alert-state.ts';

const fileSchema = z.object({
  version: z.literal(1),
  pipelines: z.record(z.string(), pipelineAlertsSchema),
});

/** Room for the state on a full disk, where the alert is needed most. */
const RESERVE_BYTES = 128 * 1024;
const RESERVE = 'alerts.reserve';

/** The state of the alerts of one pipeline. */
export interface AlertStore {
  readonly alerts: PipelineAlerts | undefined;
  /** Durable when this returns. On a full disk, it uses the room that it has reserved. */
  save(alerts: PipelineAlerts): Promise<void>;
}

/**
 * Opens the state of one pipeline in `state/alerts.json`, which all pipelines of the data root
 * share. Its users hold the lock `state/alerts.lock`. An unreadable file is moved aside, with a
 * warning: alerts may then repeat.
 */
export async function openAlerts(
  { state: folder }: Pick<Layout, 'state'>,
  disk: Disk,
  pipeline: string,
  effects: Effects,
): Promise<AlertStore> {
  const path = join(folder, 'alerts.json');
  const reserve = join(folder, RESERVE);
  let file: z.infer<typeof fileSchema> = { version: 1, pipelines: {} };
  try {
    file = fileSchema.parse(JSON.parse(await disk.read(path)));
  } catch (error) {
    if (!isCode(error, 'ENOENT')) {
      const aside = `${path}.damaged-${effects.now()}`;
      await disk.rename(path, aside);
      const result = `It is now ${aside}, and alerts may repeat.`;
      effects.log('warn', `${path} could not be read. ${result}`);
    }
  }
  return {
    alerts: file.pipelines[pipeline],
    async save(alerts) {
      file = { ...file, pipelines: { ...file.pipelines, [pipeline]: alerts } };
      const text = `${JSON.stringify(file)}\n`;
      try {
        await disk.makeFolder(folder);
        await disk.put(path, text);
      } catch (error) {
        if (!isFull(error)) throw error;
        await disk.remove(reserve);
        await disk.put(path, text);
        return;
      }
      if ((await disk.list(folder)).includes(RESERVE)) return;
      // Bytes that no file system compresses or leaves out.
      const bytes = Buffer.alloc(RESERVE_BYTES, 'windrow keeps this room for state/alerts.json. ');
      await disk.put(reserve, bytes).catch((error: unknown) => {
        // Without room, the next save tries again.
        if (!isFull(error)) throw error;
      });
    },
  };
}
