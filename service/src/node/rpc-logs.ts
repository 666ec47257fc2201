import { type Executed, keccakHex, TOKEN_PLACES, type Token } from '../simulated/chain.ts';
import { addressWord, hexWord } from './rpc-hex.ts';

/** An event of a contract. */
export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

const TRANSFER = topicOf('Transfer(address,address,uint256)');
const TRANSFER_SINGLE = topicOf('TransferSingle(address,address,address,uint256,uint256)');
const BLOOM_BYTES = 256;
const BLOOM_BITS = 2048;
const BITS_FOR_EACH = 3;

/** Amounts in the smallest unit of a token's contract; tokens by their address. */
export interface TokenUnits {
  /** `units` of 10^-18 of shown amounts in the token's own unit; undefined for an unknown token. */
  raw(tokenAddress: string, units: bigint): bigint | undefined;
}

/** Amounts of tokens without known decimals are shown in the unit of their contract. */
export function tokenUnits(tokens: readonly Token[]): TokenUnits {
  const scales = new Map(
    tokens.map(({ address, decimals = 0 }) => [address, 10n ** BigInt(TOKEN_PLACES - decimals)]),
  );
  return {
    raw: (tokenAddress, units) => {
      const scale = scales.get(tokenAddress);
      return scale === undefined ? undefined : units / scale;
    },
  };
}

/** The events of a transaction: one for every token transfer, in the form of its standard. */
export function logsOf({ sender, transfers }: Executed, units: TokenUnits): Log[] {
  return transfers.map((move) => {
    const { tokenAddress: address, tokenId } = move;
    const amount = units.raw(address, move.units) ?? 0n;
    const parties = [topic(move.from), topic(move.to)];
    switch (move.record['token_standard']) {
      case 'token_721':
        return {
          address,
          topics: [TRANSFER, ...parties, `0x${hexWord(BigInt(tokenId))}`],
          data: '0x',
        };
      case 'token_1155': {
        const topics = [TRANSFER_SINGLE, topic(sender), ...parties];
        return { address, topics, data: `0x${hexWord(BigInt(tokenId))}${hexWord(amount)}` };
      }
      default:
        return { address, topics: [TRANSFER, ...parties], data: `0x${hexWord(amount)}` };
    }
  });
}

/** The bloom filter of events: three bits for every address and topic. */
export function bloomOf(logs: readonly Log[]): string {
  const bloom = Buffer.alloc(BLOOM_BYTES);
  for (const text of new Set(logs.flatMap(({ address, topics }) => [address, ...topics]))) {
    const digest = Buffer.from(keccakHex(Buffer.from(text.slice(2), 'hex')).slice(2), 'hex');
    for (let nth = 0; nth < BITS_FOR_EACH; nth += 1) {
      const bit = digest.readUInt16BE(2 * nth) % BLOOM_BITS;
      const at = BLOOM_BYTES - 1 - Math.floor(bit / 8);
      bloom[at] = (bloom[at] ?? 0) | (1 << (bit % 8));
    }
  }
  return `0x${bloom.toString('hex')}`;
}

function topic(address: string): string {
  return `0x${addressWord(address)}`;
}

function topicOf(signature: string): string {
  return keccakHex(Buffer.from(signature));
}
