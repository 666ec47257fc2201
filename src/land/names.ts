import { z } from 'zod';
import type { TokenName } from '../pipeline/csv/name-files.ts';
import { mergeNameFile, type NameFile, readNameFile } from './name-file.ts';
import type { Disk } from './storage/disk.ts';
import type { Layout } from './storage/layout.ts';

/** Names of tokens and methods from the CSV files that pipelines name, stored beside the lake. */
export interface Names {
  /** Tokens by the lower-case address of their contract. */
  readonly tokens: ReadonlyMap<string, TokenName>;
  /** Names of methods by their lower-case identifier. */
  readonly methods: ReadonlyMap<string, string>;
}

const tokenSchema = z.object({
  symbol: z.string(),
  decimals: z.int().nullable(),
  amounts: z.enum(['whole', 'raw']),
});

function tokensOf({ tokens: path }: Layout): NameFile<TokenName> {
  return {
    path,
    value: tokenSchema,
    noun: 'names of tokens',
    origin: 'the CSV file that pipelines name as `names.tokens`',
    isEmpty: ({ symbol, decimals }) => symbol === '' && decimals === null,
  };
}

function methodsOf({ methods: path }: Layout): NameFile<string> {
  return {
    path,
    value: z.string(),
    noun: 'names of methods',
    origin: 'the CSV file that pipelines name as `names.methods`',
    isEmpty: (name) => name === '',
  };
}

/** The stored names. Throws Fault('lake') if a file cannot be parsed. */
export async function readNames(layout: Layout, disk: Disk): Promise<Names> {
  const tokens = await readNameFile(tokensOf(layout), disk);
  return { tokens, methods: await readNameFile(methodsOf(layout), disk) };
}

/** Merges names into the stored ones; a token or method without any name is removed. */
export async function keepNames(layout: Layout, given: Names, disk: Disk): Promise<void> {
  await mergeNameFile(tokensOf(layout), given.tokens, disk);
  await mergeNameFile(methodsOf(layout), given.methods, disk);
}
