import type { SimulatedChain, Token } from '../simulated/chain.ts';
import { RpcError } from './rpc-errors.ts';
import { addressWord, hexWord } from './rpc-hex.ts';
import { type TokenUnits, tokenUnits } from './rpc-logs.ts';
import type { CallRequest } from './rpc-params.ts';
import type { Accounts } from './rpc-state.ts';

/** The contracts of a chain for `eth_call`: tokens answer, other contracts return 0x. */
export interface Contracts {
  /** `accounts` is called only for answers that depend on balances. */
  call(request: CallRequest, accounts: () => Promise<Accounts>): Promise<string>;
  /** A gas estimate for the call: sufficient and deterministic. */
  estimate(request: CallRequest): number;
}

const METHOD = {
  balanceOf: '0x70a08231',
  balanceOfId: '0x00fdd58e',
  decimals: '0x313ce567',
  symbol: '0x95d89b41',
  name: '0x06fdde03',
  totalSupply: '0x18160ddd',
  ownerOf: '0x6352211e',
} as const;
const NOTHING = '0x';
const NO_ADDRESS = `0x${'0'.repeat(40)}`;
const METHOD_DIGITS = 10;
const WORD_DIGITS = 64;
const ADDRESS_DIGITS = 40;

const GAS = {
  transfer: 21_000,
  creation: 53_000,
  zeroByte: 4,
  otherByte: 16,
  keptByte: 200,
  tokenCall: 60_000,
  call: 120_000,
} as const;

/** The contracts of a chain. */
export function contractsOf({ tokens, isContract }: SimulatedChain): Contracts {
  const byAddress = new Map(tokens.map((token) => [token.address, token]));
  const units = tokenUnits(tokens);
  return {
    call: async ({ to, data }, accounts) => {
      const token = to === undefined ? undefined : byAddress.get(to);
      return token === undefined ? NOTHING : answerOf(token, data, accounts, units);
    },
    estimate: ({ to, data }) => {
      const bytes = Buffer.from(data.slice(2), 'hex');
      const zeros = bytes.reduce((count, byte) => count + (byte === 0 ? 1 : 0), 0);
      const sent = zeros * GAS.zeroByte + (bytes.length - zeros) * GAS.otherByte;
      if (to === undefined) return GAS.creation + sent + bytes.length * GAS.keptByte;
      if (byAddress.has(to)) return GAS.transfer + sent + GAS.tokenCall;
      return GAS.transfer + sent + (isContract(to) ? GAS.call : 0);
    },
  };
}

async function answerOf(
  token: Token,
  data: string,
  accounts: () => Promise<Accounts>,
  units: TokenUnits,
): Promise<string> {
  const { address, standard, decimals, symbol, name } = token;
  const argument = (nth: number): string | undefined => {
    const start = METHOD_DIGITS + nth * WORD_DIGITS;
    return data.length < start + WORD_DIGITS ? undefined : data.slice(start, start + WORD_DIGITS);
  };
  const owner = argument(0)?.slice(WORD_DIGITS - ADDRESS_DIGITS);
  const id = argument(1);
  switch (data.slice(0, METHOD_DIGITS)) {
    case METHOD.symbol:
      return textAnswer(symbol);
    case METHOD.name:
      return textAnswer(name);
    case METHOD.totalSupply:
      if (standard === 'token_1155') return NOTHING;
      return balance(token, (await accounts()).supply(address), units);
    case METHOD.ownerOf: {
      const nft = argument(0);
      if (nft === undefined || standard !== 'token_721') return NOTHING;
      return ownerAnswer((await accounts()).owner(address, String(BigInt(`0x${nft}`))));
    }
    case METHOD.decimals: {
      const counts = standard === 'token_20' || standard === 'token_10';
      return counts && decimals !== undefined ? `0x${hexWord(BigInt(decimals))}` : NOTHING;
    }
    case METHOD.balanceOf:
      if (owner === undefined || standard === 'token_1155') return NOTHING;
      return balance(token, (await accounts()).tokens(`0x${owner}`, address), units);
    case METHOD.balanceOfId:
      if (owner === undefined || id === undefined || standard !== 'token_1155') return NOTHING;
      return balance(
        token,
        (await accounts()).tokens(`0x${owner}`, address, String(BigInt(`0x${id}`))),
        units,
      );
    default:
      return NOTHING;
  }
}

/** Contracts refuse to name the owner of a token that was never minted, or was burned. */
function ownerAnswer(owner: string | undefined): string {
  if (owner === undefined || owner === NO_ADDRESS) {
    throw new RpcError('reverted', 'execution reverted: no such token');
  }
  return `0x${addressWord(owner)}`;
}

/** An address without an allocation that sent more than it received has a balance of 0. */
function balance(token: Token, units: bigint, conversion: TokenUnits): string {
  const raw = conversion.raw(token.address, units) ?? 0n;
  return `0x${hexWord(raw > 0n ? raw : 0n)}`;
}

/** A text in ABI encoding: its offset, its length, its bytes. */
function textAnswer(text: string): string {
  const bytes = Buffer.from(text);
  const padded = bytes.toString('hex').padEnd(Math.ceil(bytes.length / 32) * WORD_DIGITS, '0');
  return `0x${hexWord(32n)}${hexWord(BigInt(bytes.length))}${padded}`;
}
