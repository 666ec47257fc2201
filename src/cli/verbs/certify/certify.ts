import { join } from 'node:path';
import { canonicalFile } from '../../../export/certificate/canonical-json.ts';
import { destination, exportsFolder, publish } from '../../../export/destination.ts';
import { DEFAULT_ROOT, Fault } from '../../../fault.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import { certifyLake, proveRow, writeKey } from '../../../run/certificate/certify-lake.ts';
import { readCertificate, verifyCertificate } from '../../../run/certificate/verify-certificate.ts';
import type { Console } from '../../terminal/console.ts';
import { many } from '../../terminal/console.ts';
import { type Arguments, choice, textOption, toggle } from '../../terminal/options.ts';
import type { VerbOf, VerbResult } from '../../terminal/verb-result.ts';

export const certifyOptions = {
  options: {
    action: choice('keygen makes a key; verify checks a file; prove proves one row', [
      'keygen',
      'verify',
      'prove',
    ]),
    file: textOption('The key to make, or the certificate or proof to read'),
    data: textOption(`Data root (default ${DEFAULT_ROOT}); verify compares rows only with it`),
    key: textOption('File of the private key that signs, of mode 0600'),
    address: textOption('Certify the rows and the coverage of this address alone'),
    table: textOption('prove: table of the row', 'transactions'),
    row: textOption('prove: condition in SQL that one row meets'),
    publicKey: textOption('verify: the key that must have signed, in hex'),
    witness: textOption('verify: address of a node of JSON-RPC, or the variable that holds it'),
    out: textOption('File to write, instead of DIR/exports/certificate.json or proof.json'),
    force: toggle('Replace an existing file'),
  },
  examples: {
    '$0 certify keygen key.pem': 'a new private key',
    '$0 certify --key key.pem': 'a signed certificate of the lake',
    '$0 certify verify FILE --data DIR': 'signature, and rows of a lake',
    '$0 certify prove FILE --row CONDITION': 'a proof that needs no lake',
  },
};

export type CertifyArguments = Arguments<typeof certifyOptions>;

/** `windrow certify`: makes and checks certificates, and proofs of rows. */
export const certifyVerb: VerbOf<typeof certifyOptions> = async (input, output) => {
  const root = input.data ?? DEFAULT_ROOT;
  switch (input.action) {
    case 'keygen': {
      const file = needed(input.file, 'certify keygen needs the path of the file to make.');
      const publicKey = await writeKey(file, root);
      const lines = [`${file}: a private key. Publish its public key: ${publicKey}`];
      return { document: { file, publicKey }, lines, exitCode: 0 };
    }
    case 'verify':
      return verifyVerb(input, output);
    case 'prove':
      return proveVerb(input, root, output);
    case undefined:
      return makeVerb(input, root, output);
  }
};

async function makeVerb(
  input: CertifyArguments,
  root: string,
  output: Console,
): Promise<VerbResult> {
  const key = needed(input.key, 'A certificate is signed with --key FILE.');
  const options = { root, address: input.address, key };
  const make = () => certifyLake(options, output);
  const { file, value } = await written('certificate.json', input, root, make);
  const { tables, publicKey } = value;
  const rows = tables.reduce((sum, table) => sum + table.rows, 0);
  const size = `${many(tables.length, 'table')}, ${many(rows, 'row')}`;
  const lines = [`${file}: ${size}, signed by ${publicKey}`];
  return { document: { file, publicKey, rows }, lines, exitCode: 0 };
}

const EXIT_CODES = { verified: 0, refused: 4, open: 3 } as const;

async function verifyVerb(input: CertifyArguments, output: Console): Promise<VerbResult> {
  const file = needed(input.file, 'certify verify needs the path of a certificate or a proof.');
  const { publicKey, data, witness } = input;
  const options = { file, publicKey, data, witness, env: process.env };
  const { certificate, checks, outcome } = await verifyCertificate(options, output);
  const exitCode = EXIT_CODES[outcome];
  const lines = checks.map((result) => {
    return `${result.outcome.toUpperCase()} ${result.check}: ${result.detail}.`;
  });
  const hint =
    publicKey === undefined && certificate !== undefined
      ? `Compare the key with that of the issuer: --public-key ${certificate.publicKey}`
      : undefined;
  return { document: { file, outcome, checks, exitCode }, lines, hint, exitCode };
}

async function proveVerb(
  input: CertifyArguments,
  root: string,
  output: Console,
): Promise<VerbResult> {
  const file = needed(input.file, 'certify prove needs the path of a certificate.');
  const where = needed(input.row, 'certify prove needs --row with a condition.');
  const { certificate, checks } = await readCertificate(file);
  const refused = checks.find(({ outcome }) => outcome === 'refused');
  if (certificate === undefined || refused !== undefined) {
    throw new Fault('usage', `The certificate is refused: ${refused?.detail}.`, {
      where: file,
      advice: 'Ask its issuer for another copy.',
    });
  }
  const row = { table: input.table, where };
  const make = () => proveRow(root, certificate, row, output);
  const proof = await written('proof.json', input, root, make);
  const { table, index, path } = proof.value;
  const lines = [`${proof.file}: row ${index} of ${table}, by ${many(path.length, 'digest')}`];
  return { document: { file: proof.file, table, index }, lines, exitCode: 0 };
}

function needed(value: string | undefined, problem: string): string {
  if (value !== undefined) return value;
  throw new Fault('usage', problem, { advice: 'See windrow certify --help.' });
}

/** Makes a value, and writes it to a path that was checked before. */
async function written<T>(
  name: string,
  { out, force }: CertifyArguments,
  root: string,
  make: () => Promise<T>,
): Promise<{ readonly file: string; readonly value: T }> {
  const paths = layout(root);
  const options = { layout: paths, disk: localDisk, mayReplace: force };
  const to = await destination(out ?? join(exportsFolder(paths), name), options);
  const value = await make();
  await localDisk.write(to.making, canonicalFile(value));
  await publish(to, localDisk);
  return { file: to.file, value };
}
