import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { Fault } from '../../fault.ts';
import { canonicalJson } from './canonical-json.ts';
import type { Certificate, UnsignedCertificate } from './format.ts';

/** A new Ed25519 key, as a PKCS #8 file in PEM. */
export function newKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519');
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** The key of such a file. Throws Fault('configuration'), which quotes nothing of the text. */
export function keyIn(pem: string, file: string): KeyObject {
  const key = parsedKey(pem);
  if (key?.asymmetricKeyType === 'ed25519') return key;
  throw new Fault('configuration', 'The file has no private Ed25519 key in PEM.', {
    where: file,
    advice: 'Make one with: windrow certify keygen FILE',
  });
}

function parsedKey(pem: string): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

/** The public key as the hex digits of its 32 bytes. */
export function publicKeyOf(key: KeyObject): string {
  const { x = '' } = createPublicKey(key).export({ format: 'jwk' });
  return Buffer.from(x, 'base64url').toString('hex');
}

/** The certificate with the signature of its canonical bytes. */
export function signed(certificate: UnsignedCertificate, key: KeyObject): Certificate {
  const signature = sign(null, Buffer.from(canonicalJson(certificate)), key).toString('hex');
  return { ...certificate, signature };
}

/** Whether the public key of a certificate has signed it. */
export function isSigned({ signature, ...certificate }: Certificate): boolean {
  const x = Buffer.from(certificate.publicKey, 'hex').toString('base64url');
  const bytes = Buffer.from(canonicalJson(certificate));
  const jwk = { kty: 'OKP', crv: 'Ed25519', x };
  const key = createPublicKey({ key: jwk, format: 'jwk' });
  return verify(null, bytes, key, Buffer.from(signature, 'hex'));
}
