import { join } from 'node:path';
import { Fault } from '../../fault.ts';
import { isCode, localDisk } from '../../land/storage/disk.ts';

export interface WantedText {
  /** The noun of messages, as in `pipeline`. */
  readonly noun: string;
  /** Advice if the file cannot be read. */
  readonly advice: string;
  /** File names from which a message about a folder takes an example. */
  readonly name: RegExp;
}

const FAILURES = [
  ['ENOENT', 'there is no such file'],
  ['ENOTDIR', 'there is no such file'],
  ['EACCES', 'permission denied'],
] as const;

/** The text of a file that the user named. Throws Fault('configuration') if it is unreadable. */
export async function readText(file: string, { noun, advice, name }: WantedText): Promise<string> {
  try {
    return decodedText(await localDisk.readBytes(file), file);
  } catch (cause) {
    if (isCode(cause, 'EISDIR')) {
      const example = await exampleIn(file, name);
      const hint = example === undefined ? '' : `, e.g. ${example}`;
      throw new Fault('configuration', 'This is a folder.', {
        where: file,
        advice: `Name a file for the ${noun}${hint}.`,
        cause,
      });
    }
    const reason = FAILURES.find(([code]) => isCode(cause, code))?.[1];
    if (reason === undefined) throw cause;
    throw new Fault('configuration', `The ${noun} cannot be read: ${reason}.`, {
      where: file,
      advice,
      cause,
    });
  }
}

/**
 * The text of a file in UTF-8, or in UTF-16 with a byte order mark, as spreadsheets and editors
 * save it. Throws a configuration fault for other bytes, such as those of a workbook.
 */
export function decodedText(bytes: Uint8Array, file: string): string {
  const mark = Buffer.from(bytes.subarray(0, 2)).toString('hex');
  const encoding = mark === 'fffe' ? 'utf-16le' : mark === 'feff' ? 'utf-16be' : 'utf-8';
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes);
    // Zero bytes are UTF-16 without a byte order mark, or no text at all.
    if (!text.includes('\0')) return text;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  throw new Fault('configuration', 'The file is not text in UTF-8.', {
    where: file,
    advice: 'Save it as UTF-8; spreadsheets call this "CSV UTF-8".',
  });
}

/** The path of the first file in a folder whose name matches, if there is one. */
async function exampleIn(folder: string, name: RegExp): Promise<string | undefined> {
  const names = await localDisk.list(folder).catch((): string[] => []);
  const first = names.sort().find((file) => name.test(file));
  return first === undefined ? undefined : join(folder, first);
}
