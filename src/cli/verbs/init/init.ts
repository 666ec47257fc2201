import { join } from 'node:path';
import { dataOption, Fault, shellQuoted } from '../../../fault.ts';
import { ifThere, localDisk } from '../../../land/storage/disk.ts';
import { packageText } from '../../../land/storage/package-file.ts';
import { parseAddressList } from '../../../pipeline/csv/address-list.ts';
import { parsePipeline } from '../../../pipeline/read-pipeline.ts';
import { readText } from '../../../run/job/text-file.ts';
import type { Console } from '../../terminal/console.ts';
import { type Arguments, textOption, toggle } from '../../terminal/options.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';
import { FIELDS, KINDS, listedAddresses } from './fields.ts';
import {
  addressesText,
  environmentText,
  IGNORED,
  keysFileOf,
  type NewFile,
  pipelineText,
  secretsHint,
} from './new-files.ts';
import { type Choice, chosen } from './questions.ts';
import { terminalQuestions } from './terminal-questions.ts';

const SCHEMA = 'pipeline.schema.json';

export const initOptions = {
  options: {
    folder: textOption('Folder of the new files; it is made if it does not exist', '.'),
    kind: textOption(`Kind of job: ${Object.keys(KINDS).join(', ')} (default address-activity)`),
    ...Object.fromEntries(
      FIELDS.map(({ option, question, fallback }) => [
        option,
        textOption(fallback === undefined ? question : `${question} (default ${fallback})`),
      ]),
    ),
    force: toggle('Replace files that exist'),
  },
  examples: {
    '$0 init my-export': 'ask for the settings, on a terminal',
    '$0 init mine --url https://explorer.example':
      'take the settings from options, and defaults for the others',
  },
};

type InitArguments = Arguments<typeof initOptions> & Readonly<Record<string, unknown>>;

/** `windrow init`: writes a pipeline and the files around it into a folder. */
export async function initVerb(input: InitArguments, output: Console): Promise<VerbResult> {
  const isAsking = process.stdin.isTTY === true && !output.isJson;
  const terminal = isAsking ? terminalQuestions(process.stdin, process.stderr) : undefined;
  try {
    const choice = await chosen(input, terminal?.ask, output.note);
    const files = await newFiles(choice);
    await writeAll(input.folder, files, input.force);
    const kept = await ignoreLines(input.folder);
    return resultOf(input.folder, choice, [...files, ...kept.written], kept.missing);
  } finally {
    terminal?.close();
  }
}

/** All files but .gitignore, checked as the other verbs will read them. */
async function newFiles(choice: Choice): Promise<NewFile[]> {
  const pipeline = {
    name: `${choice.kind}.yaml`,
    text: pipelineText(choice, packageText(`pipelines/${choice.kind}.yaml`)),
  };
  parsePipeline({ text: pipeline.text, file: pipeline.name });
  const keysFile = keysFileOf(choice);
  const keys = keysFile === undefined ? [] : [{ name: keysFile, text: await keysText(choice) }];
  return [
    pipeline,
    ...keys,
    { name: '.env.example', text: environmentText(choice) },
    { name: SCHEMA, text: packageText(`pipelines/${SCHEMA}`) },
  ];
}

/** The CSV of addresses, from a list or from the file that the user named. */
async function keysText({ values }: Choice): Promise<string> {
  const { addresses = '' } = values;
  const listed = listedAddresses(addresses);
  if (listed !== undefined) return addressesText(listed);
  const text = await readText(addresses, {
    noun: 'address list',
    advice: 'Name a CSV file, or list addresses: --addresses 0x...=treasury,0x...',
    name: /\.csv$/,
  });
  const { addresses: keys, labels } = parseAddressList({ text, file: addresses });
  return addressesText(keys.map((address) => ({ address, label: labels.get(address) ?? '' })));
}

/** Writes all files, or none if one exists and `isForced` is false. */
async function writeAll(
  folder: string,
  files: readonly NewFile[],
  isForced: boolean,
): Promise<void> {
  const existing: string[] = [];
  for (const { name } of files) {
    if ((await localDisk.stat(join(folder, name))) !== undefined) existing.push(name);
  }
  if (existing.length > 0 && !isForced) {
    throw new Fault('usage', `The folder already has ${existing.join(', ')}.`, {
      where: folder,
      advice: 'Name another folder, or replace the files with --force.',
    });
  }
  await localDisk.makeFolder(folder);
  for (const { name, text } of files) await localDisk.put(join(folder, name), text);
}

/** Writes .gitignore. One that exists stays as it is; `missing` has the lines that it lacks. */
async function ignoreLines(
  folder: string,
): Promise<{ readonly written: readonly NewFile[]; readonly missing: readonly string[] }> {
  const file = join(folder, '.gitignore');
  const text = await ifThere(localDisk.read(file));
  if (text !== undefined) {
    const lines = text.split(/\r?\n/).map((line) => line.replace(/^\/|\/$/g, ''));
    const missing = IGNORED.filter((line) => !lines.includes(line.replace(/^\/|\/$/g, '')));
    return { written: [], missing };
  }
  const written = { name: '.gitignore', text: `${IGNORED.join('\n')}\n` };
  await localDisk.put(file, written.text);
  return { written: [written], missing: [] };
}

function resultOf(
  folder: string,
  choice: Choice,
  files: readonly NewFile[],
  missing: readonly string[],
): VerbResult {
  const path = join(folder, `${choice.kind}.yaml`);
  const root = join(folder, 'data');
  const next = ['doctor', 'plan', 'run'].map(
    (verb) => `windrow ${verb} ${shellQuoted(path)}${dataOption(root)}`,
  );
  const names = files.map(({ name }) => name);
  const lines = names.map((name) => `Wrote ${join(folder, name)}`);
  if (missing.length > 0) lines.push(`Add to ${join(folder, '.gitignore')}: ${missing.join(' ')}`);
  const secrets = secretsHint(choice);
  if (secrets !== undefined) lines.push(`Write ${join(folder, secrets)}.`);
  if (choice.values['credentials'] === 'environment') {
    lines.push(`Set the variables of ${join(folder, '.env.example')} in the environment.`);
  }
  lines.push(`Next:\n  ${next.join('\n  ')}`);
  return { document: { folder, pipeline: path, files: names, next }, lines, exitCode: 0 };
}
