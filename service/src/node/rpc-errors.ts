/** The error codes of JSON-RPC 2.0, and those that nodes add. */
export const RPC_CODES = {
  'parse-error': -32_700,
  'invalid-request': -32_600,
  'method-not-found': -32_601,
  'invalid-params': -32_602,
  internal: -32_603,
  /** The block or its state is not available on this node. */
  unavailable: -32_000,
  /** The contract reverts the call. */
  reverted: 3,
} as const;

export type RpcErrorKind = keyof typeof RPC_CODES;

/** Why a call has no result. Its message is for the client and never repeats the request. */
export class RpcError extends Error {
  readonly kind: RpcErrorKind;

  constructor(kind: RpcErrorKind, message: string) {
    super(message);
    this.name = 'RpcError';
    this.kind = kind;
  }
}
