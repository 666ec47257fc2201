/** The formats of exports, with their file endings. */
export const FORMATS = {
  parquet: 'parquet',
  csv: 'csv',
  arrow: 'arrow',
  'arrow-stream': 'arrows',
  xlsx: 'xlsx',
  jsonl: 'jsonl',
} as const;

export type Format = keyof typeof FORMATS;

/** The format of a file name by its ending; undefined for other endings. */
export function formatOf(file: string): Format | undefined {
  const formats = Object.keys(FORMATS) as Format[];
  return formats.find((format) => file.toLowerCase().endsWith(`.${FORMATS[format]}`));
}
