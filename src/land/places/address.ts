import { Fault } from '../../fault.ts';

/** An address of a lake in an object store. */
export interface StoreAddress {
  /** `s3://bucket/prefix`, without a slash at its end. */
  readonly text: string;
  /** The name of the service in OpenDAL. */
  readonly service: 's3' | 'gcs' | 'azblob';
  readonly bucket: string;
  /** Folder inside the bucket; '' for the whole bucket. */
  readonly prefix: string;
}

const SERVICES = { s3: 's3', gs: 'gcs', az: 'azblob' } as const;
const ADDRESS = /^(s3|gs|az):\/\/([a-zA-Z\d][\w.-]*)((?:\/[^/]+)*)\/*$/;
/** Prefixes become folders of the cache, whose names DuckDB must not read as patterns. */
const PREFIX = /^(?!.*\/\.\.?(\/|$))[\w./+@:,-]*$/;

/** Whether the name of a data root is an address in an object store. */
export function isAddress(root: string): boolean {
  return /^(s3|gs|az):/.test(root);
}

/** Parses an address. Throws Fault('usage') for one that is not complete. */
export function parseAddress(text: string): StoreAddress {
  const [, scheme = '', bucket = '', path = ''] = ADDRESS.exec(text) ?? [];
  if (bucket === '' || !PREFIX.test(path)) {
    throw new Fault('usage', 'The data root is not an address of an object store.', {
      where: text,
      advice:
        'Write --data s3://BUCKET/PREFIX, gs://BUCKET/PREFIX or az://CONTAINER/PREFIX, with ' +
        'letters, digits, hyphens, dots and underscores.',
    });
  }
  const service = SERVICES[scheme as keyof typeof SERVICES];
  return { text: `${scheme}://${bucket}${path}`, service, bucket, prefix: path.slice(1) };
}

/**
 * The settings of OpenDAL for an address. Credentials come from the chain of the provider; only
 * names of Azure that OpenDAL does not read are handed over.
 */
export function storeSettings(
  { service, bucket, prefix }: StoreAddress,
  env: NodeJS.ProcessEnv,
): Record<string, string> {
  const root = `/${prefix}`;
  if (service === 'gcs')
    return { bucket, root, ...optional('endpoint', env['STORAGE_EMULATOR_HOST']) };
  if (service === 'azblob') {
    const account = env['AZURE_STORAGE_ACCOUNT'];
    const host = account && `https://${account}.blob.core.windows.net`;
    return {
      container: bucket,
      root,
      ...optional('endpoint', env['AZURE_STORAGE_ENDPOINT'] ?? host),
      ...optional('account_name', account),
      ...optional('account_key', env['AZURE_STORAGE_KEY']),
      ...optional('sas_token', env['AZURE_STORAGE_SAS_TOKEN']),
    };
  }
  const endpoint = env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'] || undefined;
  const region = env['AWS_REGION'] || env['AWS_DEFAULT_REGION'];
  // Stores of other makers ignore the region, and AWS alone has a name for each bucket.
  return {
    bucket,
    root,
    ...optional('region', region || (endpoint && 'us-east-1')),
    ...(endpoint === undefined ? { enable_virtual_host_style: 'true' } : { endpoint }),
  };
}

function optional(name: string, value: string | undefined): Record<string, string> {
  return value === undefined || value === '' ? {} : { [name]: value };
}
