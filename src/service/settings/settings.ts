import type { Credentials } from '../../fetch/http/signature.ts';
import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import { NO_FAULTS } from './fault-plan.ts';
import type { FaultPlan } from './fault-schema.ts';
import type { RateLimit } from './rate-limits-schema.ts';

/** Who may ask, and how much. */
export interface KeyHolder extends Credentials {
  /** What this key may ask, whatever others do. Absent: as much as it likes. */
  readonly limit?: RateLimit;
}

/**
 * How this deployment of the interface behaves where the interface is silent or deployments differ.
 * Everything may be left out.
 */
export interface ServiceSettings {
  /** Stands where the interface says `mainchain`. */
  readonly pathSegment?: string;
  /** Stands where the interface says `zone`. */
  readonly zoneSegment?: string;
  /** Stands where the interface says `SVC-`. */
  readonly headerPrefix?: string;
  /** Who may ask. Absent or empty: everybody, unsigned. */
  readonly credentials?: readonly KeyHolder[];
  /** How many records a primary-chain list reaches; zone lists reach all. Default 10,000. */
  readonly recordCap?: number;
  /**
   * A page beyond the record cap is an empty list (the default), the last page once more, or an
   * error.
   */
  readonly capStyle?: 'empty' | 'clamp' | 'error';
  /** Whether primary-chain lists contain endBlockHeight; zone lists do. Default inclusive. */
  readonly endReading?: 'inclusive' | 'exclusive';
  /** Whether a record that names two of the keys asked is listed twice. Default false. */
  readonly perMatchListing?: boolean;
  /** Largest page size by the endpoint's path, where it differs from the catalogue's. */
  readonly maxPageSize?: Readonly<Record<string, number>>;
  /** What goes wrong, until another plan is put in force. Default nothing. */
  readonly faults?: FaultPlan;
  /** Answers in the service's place when it returns a response: how tests bring in faults. */
  readonly before?: (request: ServiceRequest) => ServiceResponse | undefined;
}

/** Settings with nothing left out. */
export type FullSettings = Required<Omit<ServiceSettings, 'before'>> &
  Pick<ServiceSettings, 'before'>;

/** The settings with the defaults filled in. */
export function fullSettings(given: ServiceSettings): FullSettings {
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
    ...given,
  };
}

/** The settings, but for what a plan of faults says of lists. */
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
