/**
 * The behaviour of the stream where the interface is silent or deployments differ, and its faults.
 * All members are optional.
 */
export interface StreamSettings {
  /**
   * JSON text, the same in binary frames, brotli, or the byte 0x1E and then brotli. Default text.
   */
  readonly encoding?: 'text' | 'binary' | 'brotli' | 'marked-brotli';
  /** Whether fragments from index 1 up have `"base": null`. Default false: the member is absent. */
  readonly nullBase?: boolean;
  /** Whether every block ends with a message that has only the payload's id. Default false. */
  readonly endMessages?: boolean;
  /** Whether fragments give the last index of their block as `target_index`. Default false. */
  readonly targetIndex?: boolean;
  /** Further clients are refused with code 1013. Default 100. */
  readonly maxClients?: number;
  /** Bound on unsent bytes of a client, beyond which it is disconnected. Default 4 MiB. */
  readonly maxUnsentBytes?: number;
  /** The fault of a fragment, if any; tests add faults with it. */
  readonly fault?: (at: FragmentPlace) => StreamFault | undefined;
}

export type StreamFault =
  /** It is not sent. */
  | 'drop'
  /** It is sent twice. */
  | 'repeat'
  /** It is sent after the next one; the last fragment of a block is not affected. */
  | 'reorder'
  /** After it, the block begins again under another payload id. */
  | 'new-payload'
  /** After it, all clients are disconnected. */
  | 'disconnect';

export interface FragmentPlace {
  readonly height: number;
  readonly index: number;
  /** Number of fragments of the payload. */
  readonly fragments: number;
  /** 0 for the first payload of a block, 1 for the next. */
  readonly payload: number;
}

/** Settings with all members. */
export type FullStreamSettings = Required<StreamSettings>;

/** The settings with the defaults filled in. */
export function fullStreamSettings(settings: StreamSettings): FullStreamSettings {
  return {
    encoding: 'text',
    nullBase: false,
    endMessages: false,
    targetIndex: false,
    maxClients: 100,
    maxUnsentBytes: 4 * 1024 * 1024,
    fault: () => undefined,
    ...settings,
  };
}
