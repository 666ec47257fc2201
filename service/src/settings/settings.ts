import type { Credentials } from '../../../src/fetch/http/signature.ts';
import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { NO_FAULTS } from './fault-plan.ts';
import type { FaultPlan } from './fault-schema.ts';
import type { RateLimit } from './rate-limits-schema.ts';

/** A key, and the rate limit of this key alone. Absent: it has none. */
export type KeyHolder = Credentials & { readonly limit?: RateLimit };

/**
 * The behaviour of this deployment where the interface is silent or deployments differ. All members
 * are optional.
 */
export interface ServiceSettings {
  /** Replaces the interface's path segment `mainchain`. */
  readonly pathSegment?: string;
  /** Replaces the interface's path segment `zone`. */
  readonly zoneSegment?: string;
  /** Replaces the interface's header prefix `SVC-`. */
  readonly headerPrefix?: string;
  /** The accepted keys. Absent or empty: requests need no key and no signature. */
  readonly credentials?: readonly KeyHolder[];
  /** Record cap of primary-chain lists; zone lists have none. Default 10,000. */
  readonly recordCap?: number;
  /**
   * The answer to a page beyond the record cap: an empty list (the default), the last page once
   * more, or an error.
   */
  readonly capStyle?: 'empty' | 'clamp' | 'error';
  /** Whether primary-chain lists contain endBlockHeight; zone lists do. Default inclusive. */
  readonly endReading?: 'inclusive' | 'exclusive';
  /** Whether a record that names two of the requested keys is listed twice. Default false. */
  readonly perMatchListing?: boolean;
  /** Largest page size by the endpoint's path, if it differs from the catalogue's. */
  readonly maxPageSize?: Readonly<Record<string, number>>;
  /** The first plan of faults, until another one is put in force. Default none. */
  readonly faults?: FaultPlan;
  /** Answers instead of the service if it returns a response; tests add faults with it. */
  readonly before?: (request: ServiceRequest) => ServiceResponse | undefined;
}

/** Settings with all members. */
export type FullSettings = Required<Omit<ServiceSettings, 'before'>> &
  Pick<ServiceSettings, 'before'>;

/** The settings with the defaults filled in. */
export function fullSettings(settings: ServiceSettings): FullSettings {
  return {
    pathSegment: 'mainchain',
    zoneSegment: 'zone',
    headerPrefix: 'SVC-',
    credentials: [],
    recordCap: 10_000,
    capStyle: 'empty',
    endReading: 'inclusive',
    perMatchListing: false,
    maxPageSize: {},
    faults: NO_FAULTS,
    ...settings,
  };
}

/** The settings, except for lists that a plan of faults changes. */
export function settingsUnder(settings: FullSettings, { chain }: FaultPlan): FullSettings {
  const { recordCap, capStyle, perMatchListing, endReading, maxPageSize } = chain;
  return {
    ...settings,
    ...(recordCap === undefined ? {} : { recordCap }),
    ...(capStyle === undefined ? {} : { capStyle }),
    ...(perMatchListing === undefined ? {} : { perMatchListing }),
    ...(endReading === undefined ? {} : { endReading }),
    maxPageSize: { ...settings.maxPageSize, ...maxPageSize },
  };
}
