import { join } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../../effects.ts';
import { type Disk, isCode } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { type PipelineAlerts, pipelineAlertsSchema } from './rules/alert-state.ts';

const fileSchema = z.object({
  version: z.literal(1),
  pipelines: z.record(z.string(), pipelineAlertsSchema),
});
type AlertFile = z.infer<typeof fileSchema>;

/** Room for the state on a full disk, where the alert is needed most. */
const RESERVE_BYTES = 128 * 1024;

/**
 * The state of the alerts of one pipeline in `state/alerts.json`, which all pipelines of the data
 * root share. Its users hold the lock `state/alerts.lock`.
 */
export class AlertStore {
  readonly #path: string;
  readonly #reserve: string;
  readonly #folder: string;
  readonly #disk: Disk;
  readonly #pipeline: string;
  #file: AlertFile;

  private constructor(folder: string, disk: Disk, pipeline: string, file: AlertFile) {
    this.#folder = folder;
    this.#path = join(folder, 'alerts.json');
    this.#reserve = join(folder, 'alerts.reserve');
    this.#disk = disk;
    this.#pipeline = pipeline;
    this.#file = file;
  }

  /** An unreadable file is moved aside, with a warning: alerts may then repeat. */
  static async open(
    layout: Pick<Layout, 'state'>,
    disk: Disk,
    pipeline: string,
    effects: Effects,
  ): Promise<AlertStore> {
    const path = join(layout.state, 'alerts.json');
    let file: AlertFile = { version: 1, pipelines: {} };
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
    return new AlertStore(layout.state, disk, pipeline, file);
  }

  get alerts(): PipelineAlerts | undefined {
    return this.#file.pipelines[this.#pipeline];
  }

  /** Durable when this returns. On a full disk, it uses the room that it has reserved. */
  async save(alerts: PipelineAlerts): Promise<void> {
    const pipelines = { ...this.#file.pipelines, [this.#pipeline]: alerts };
    this.#file = { ...this.#file, pipelines };
    const text = `${JSON.stringify(this.#file)}\n`;
    try {
      await this.#disk.makeFolder(this.#folder);
      await this.#disk.put(this.#path, text);
    } catch (error) {
      if (!isCode(error, 'ENOSPC') && !isCode(error, 'EDQUOT')) throw error;
      await this.#disk.remove(this.#reserve);
      await this.#disk.put(this.#path, text);
      return;
    }
    await this.#keepReserve();
  }

  /**
   * Bytes that no file system compresses or leaves out; without room, the next save tries again.
   */
  async #keepReserve(): Promise<void> {
    if ((await this.#disk.list(this.#folder)).includes('alerts.reserve')) return;
    try {
      const bytes = Buffer.alloc(RESERVE_BYTES, 'windrow keeps this room for state/alerts.json. ');
      await this.#disk.put(this.#reserve, bytes);
    } catch (error) {
      if (!isCode(error, 'ENOSPC') && !isCode(error, 'EDQUOT')) throw error;
    }
  }
}
