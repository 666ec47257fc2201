/**
 * How the stream behaves where the interface is silent or deployments differ, and what goes wrong
 * on it. Everything may be left out.
 */
export interface StreamSettings {
  /**
   * JSON text, the same in binary frames, brotli, or the byte 0x1E and then brotli. Default text.
   */
  readonly encoding?: 'text' | 'binary' | 'brotli' | 'marked-brotli';
  /** Whether fragments from index 1 up say `"base": null`. Default false: they leave it out. */
  readonly nullBase?: boolean;
  /** Whether a message with nothing but the payload's id ends every block. Default false. */
  readonly endMessages?: boolean;
  /** Whether fragments name the last index of their block as `target_index`. Default false. */
  readonly targetIndex?: boolean;
  /** More clients than these are turned away with code 1013. Default 100. */
  readonly maxClients?: number;
  /** A client with more than this unsent is dropped. Default 4 MiB. */
  readonly maxUnsentBytes?: number;
  /** What goes wrong with a fragment, if anything: how tests bring in faults. */
  readonly fault?: (at: FragmentPlace) => StreamFault | undefined;
}

export type StreamFault =
  /** It is not sent. */
  | 'drop'
  /** It is sent twice. */
  | 'repeat'
  /** It is sent after the one that follows it; the last of a block has none, and stays. */
  | 'reorder'
  /** After it, the block begins again under another payload id. */
  | 'new-payload'
  /** After it, all clients are cut off. */
  | 'disconnect';

export interface FragmentPlace {
  readonly height: number;
  readonly index: number;
  /** How many fragments the payload has. */
  readonly fragments: number;
  /** 0 for the first payload of a block, 1 for the next. */
  readonly payload: number;
}

/** Settings with nothing left out. */
export type FullStreamSettings = Required<StreamSettings>;

/** The settings with the defaults filled in. */
export function fullStreamSettings(given: StreamSettings): FullStreamSettings {
  return {
    encoding: 'text',
    nullBase: false,
    endMessages: false,
    targetIndex: false,
    maxClients: 100,
    maxUnsentBytes: 4 * 1024 * 1024,
    fault: () => undefined,
    ...given,
  };
}
