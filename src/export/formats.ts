/** The formats of exports, and what the names of their files end with. */
export const FORMATS = {
  parquet: 'parquet',
  csv: 'csv',
  arrow: 'arrow',
  'arrow-stream': 'arrows',
} as const;

export type Format = keyof typeof FORMATS;

/** The format that a file's name ends with; undefined where it ends otherwise. */
export function formatOf(file: string): Format | undefined {
  const formats = Object.keys(FORMATS) as Format[];
  return formats.find((format) => file.toLowerCase().endsWith(`.${FORMATS[format]}`));
}
