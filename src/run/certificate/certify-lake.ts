import { dirname } from 'node:path';
import { datasets, recordColumns } from '../../catalogue/index.ts';
import { CURATED_TABLES } from '../../curate/curated-tables.ts';
import {
  CERTIFIED_COVERAGE,
  type Certificate,
  type InclusionProof,
} from '../../export/certificate/format.ts';
import {
  type CertifiableTable,
  makeCertificate,
} from '../../export/certificate/make-certificate.ts';
import { makeProof } from '../../export/certificate/make-proof.ts';
import { keyIn, newKey, publicKeyOf } from '../../export/certificate/signature.ts';
import { Fault } from '../../fault.ts';
import { learnedSchema } from '../../fetch/connect.ts';
import { type Lake, withLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { type OpenWarehouse, withSelections } from '../../load/query/stream.ts';
import { ADDRESS } from '../../pipeline/syntax/address.ts';
import { privateText } from '../job/credentials.ts';
import { windrowVersion } from '../job/version.ts';
import { chainsToShow } from '../lake/rebuild-warehouse.ts';
import type { Surroundings } from '../lake/surroundings.ts';
import { withReadyWarehouse } from '../lake/with-warehouse.ts';
import { valuesOfState } from '../state-file.ts';
import { RECONCILIATIONS } from './witness-checks.ts';

/** The tables that an auditor uses: the curated ones, and the comparisons with nodes. */
const TABLES: readonly CertifiableTable[] = [
  ...CURATED_TABLES.filter(({ isEvidence }) => isEvidence !== true).map(
    ({ name, axis, heightColumn }) => {
      return { name: `curated.${name}`, axis, heightColumn, hasContent: false };
    },
  ),
  { name: RECONCILIATIONS, axis: 'primary', heightColumn: 'to_block', hasContent: true },
  {
    name: `${RECONCILIATIONS.slice(0, -1)}_findings`,
    axis: 'primary',
    heightColumn: 'block_number',
    hasContent: true,
  },
  { name: CERTIFIED_COVERAGE, axis: null, heightColumn: null, hasContent: false },
];

/** Columns that tell which lists hold a row, and when coverage was read. */
const LINEAGE = [
  ...['coverage_status', 'sources', 'list_position', 'block_position'],
  ...['blocks', 'meaning', 'head', 'read_at'],
];

/** Leaves are sorted in this memory, and beyond it on disk. */
const LIMITS = { timeoutMs: 24 * 3_600_000, memoryBytes: 256 * 2 ** 20 };

export interface CertifyOptions {
  readonly root: string;
  /** Certifies the rows and the coverage of one address. */
  readonly address?: string | undefined;
  /** The file of the private key. */
  readonly key: string;
}

/**
 * A signed certificate of what a lake shows. Throws Fault('configuration') for a key that others
 * may read or that is in the data root, and Fault('usage') where nothing is complete.
 */
export async function certifyLake(
  { root, address, key: file }: CertifyOptions,
  caller: Surroundings,
): Promise<Certificate> {
  if (address !== undefined && !ADDRESS.test(address)) {
    throw new Fault('usage', `${JSON.stringify(address)} is not an address.`, {
      advice: 'Give 0x and 40 hexadecimal digits.',
    });
  }
  if (await isWithin(root, file)) {
    throw new Fault('configuration', `${IN_ROOT}.`, { where: file, advice: 'Move it elsewhere.' });
  }
  const key = keyIn(await privateText(file, 'Name the file of the key with --key FILE.'), file);
  const { effects } = caller;
  const chains = await chainsToShow(root, undefined, effects);
  return withLake({ root, chains, run: 'certify', effects }, async (lake) => {
    const learned = await valuesOfState(lake.layout.learned, learnedSchema, localDisk);
    const volatile = datasets.flatMap(({ name }) => recordColumns(name)).filter((c) => c.volatile);
    const request = {
      windrow: windrowVersion(),
      issuedAt: new Date(effects.now()).toISOString(),
      address: address?.toLowerCase() ?? null,
      services: Object.keys(learned ?? {}).sort(),
      chains: Object.fromEntries(Object.entries(chains).filter(([, name]) => name !== '-')),
      tables: TABLES,
      volatile: new Set([...volatile.map(({ name }) => name), ...LINEAGE]),
      checkpoints: await checkpointsOf(lake),
      key,
    };
    return await withRows(root, caller, (warehouse) => makeCertificate(warehouse, request));
  });
}

/** The block hashes that the logs of all tables hold. */
async function checkpointsOf(lake: Lake): Promise<Certificate['checkpoints']> {
  const byText = new Map<string, Certificate['checkpoints'][number]>();
  for (const table of await lake.tables()) {
    const { axis } = table.dataset;
    for (const { height, hash } of (await table.snapshot()).blockCheckpoints) {
      byText.set(`${axis} ${height} ${hash}`, { axis, height, hash });
    }
  }
  const all = [...byText.values()];
  return all.sort((a, b) => a.axis.localeCompare(b.axis) || a.height - b.height);
}

/** Proves that one row of a lake is among the rows of a certificate. See `makeProof`. */
export async function proveRow(
  root: string,
  certificate: Certificate,
  row: { readonly table: string; readonly where: string },
  caller: Surroundings,
): Promise<InclusionProof> {
  return withRows(root, caller, (warehouse) => makeProof(warehouse, certificate, row));
}

/**
 * Opens the warehouse of a data root once, for all rows of a certificate. A data root of others
 * (`isForeign`) is only read.
 */
export function withRows<T>(
  root: string,
  caller: Surroundings,
  use: (warehouse: OpenWarehouse) => Promise<T>,
  isForeign = false,
): Promise<T> {
  const read = ({ warehouse, root: files }: Layout) =>
    withSelections(warehouse, { ...LIMITS, root: files }, use);
  return withReadyWarehouse(root, caller, read, isForeign);
}

const IN_ROOT = 'A key does not belong into the data root, which is copied and shared';

async function isWithin(root: string, file: string): Promise<boolean> {
  const folder = await localDisk.realPath(dirname(file)).catch(() => undefined);
  const lake = await localDisk.realPath(root).catch(() => undefined);
  return lake !== undefined && `${folder}/`.startsWith(`${lake}/`);
}

/**
 * Writes a new private key that its owner alone may read, and returns its public key. Throws
 * Fault('usage') for a file that exists, and inside the data root, which is copied and shared.
 */
export async function writeKey(file: string, root: string): Promise<string> {
  const folder = await localDisk.realPath(dirname(file)).catch(() => undefined);
  const problem =
    folder === undefined
      ? 'The folder of the key does not exist'
      : (await isWithin(root, file))
        ? IN_ROOT
        : (await localDisk.stat(file)) !== undefined
          ? 'There is a file of this name already'
          : undefined;
  if (problem !== undefined) {
    throw new Fault('usage', `${problem}.`, { where: file, advice: 'Name another file.' });
  }
  const pem = newKey();
  await localDisk.write(file, pem, 0o600);
  await localDisk.sync(file);
  return publicKeyOf(keyIn(pem, file));
}
