import { pipeline } from 'node:stream/promises';
import { crc32, createDeflateRaw } from 'node:zlib';
import { Fault } from '../../fault.ts';
import type { OpenFile } from '../../land/storage/disk.ts';
import { overwritten } from './sink.ts';

/** A part of a workbook: a path in the archive and its XML, which is read once. */
interface Part {
  readonly path: string;
  readonly xml: Iterable<string> | AsyncIterable<string>;
}

/** The archive has 32 bits for the size of a part, and for its place. */
const MAX_BYTES = 2 ** 32 - 1;
const HEADER_BYTES = 30;
const DEFLATED = 8;
/** Fields of a record that this archive does not use. */
const NONE = 0;
/** 1980-01-01, the first day of the format: equal selections give equal files. */
const FIRST_DAY = 0x21;

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Number formats of cells; the style of a cell is its position. */
export const CELL_FORMATS = ['General', 'yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss'] as const;

/**
 * Writes a workbook of one sheet, whose rows are XML, in bounded memory. The first row stays in
 * view. `widths` are those of the columns, in characters. Throws Fault('query') for a sheet that
 * is larger than its format allows.
 */
export async function writeWorkbook(
  file: string,
  widths: readonly number[],
  rows: AsyncIterable<string>,
): Promise<void> {
  const handle = await overwritten(file);
  try {
    await writeArchive(handle, [...frame(), { path: SHEET, xml: sheetXml(widths, rows) }]);
  } finally {
    await handle.close();
  }
}

const SHEET = 'xl/worksheets/sheet1.xml';

/** All parts but the sheet. */
function frame(): Part[] {
  const formats = CELL_FORMATS.map(
    (code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`,
  );
  const styles = CELL_FORMATS.map(
    (_, i) => `<xf numFmtId="${164 + i}" fontId="0" fillId="0" borderId="0" xfId="0"/>`,
  );
  const fills = '<fill><patternFill patternType="none"/></fill>';
  const parts = {
    '[Content_Types].xml': `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels"
      ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override
      PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/><Override
      PartName="/${SHEET}" ContentType="${TYPE}.worksheet+xml"/><Override
      PartName="/xl/styles.xml" ContentType="${TYPE}.styles+xml"/></Types>`,
    '_rels/.rels': relations(['officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook xmlns="${MAIN}" xmlns:r="${OFFICE}"><sheets><sheet name="windrow"
      sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ['worksheet', 'worksheets/sheet1.xml'],
      ['styles', 'styles.xml'],
    ),
    'xl/styles.xml': `<styleSheet xmlns="${MAIN}"><numFmts
      count="${formats.length}">${formats.join('')}</numFmts><fonts count="1"><font><sz
      val="11"/><name val="Calibri"/></font></fonts><fills count="2">${fills}${fills.replace(
        'none',
        'gray125',
      )}</fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf numFmtId="0"
      fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs
      count="${styles.length}">${styles.join('')}</cellXfs></styleSheet>`,
  };
  return Object.entries(parts).map(([path, xml]) => ({ path, xml: [DECLARATION, xml] }));
}

function relations(...targets: readonly (readonly [type: string, target: string])[]): string {
  const all = targets.map(
    ([type, target], i) =>
      `<Relationship Id="r${i + 1}" Type="${OFFICE}/${type}" Target="${target}"/>`,
  );
  return `<Relationships xmlns="${PACKAGE}/relationships">${all.join('')}</Relationships>`;
}

async function* sheetXml(
  widths: readonly number[],
  rows: AsyncIterable<string>,
): AsyncIterable<string> {
  const columns = widths.map(
    (width, i) => `<col min="${i + 1}" max="${i + 1}" width="${width}" customWidth="1"/>`,
  );
  yield `${DECLARATION}<worksheet xmlns="${MAIN}"><sheetViews><sheetView workbookViewId="0"><pane
    ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews>`;
  yield `<cols>${columns.join('')}</cols><sheetData>`;
  yield* rows;
  yield '</sheetData></worksheet>';
}

/** Writes a ZIP archive, part by part. Headers follow their parts: they have the sizes. */
async function writeArchive(file: OpenFile, parts: readonly Part[]): Promise<void> {
  const directory: Buffer[] = [];
  let at = 0;
  for (const { path, xml } of parts) {
    const name = Buffer.from(path);
    const start = at;
    let checksum = 0;
    let bytes = 0;
    at += HEADER_BYTES + name.length;
    await pipeline(
      async function* () {
        for await (const text of xml) {
          const chunk = Buffer.from(text);
          checksum = crc32(chunk, checksum);
          bytes += chunk.length;
          yield chunk;
        }
      },
      createDeflateRaw(),
      async (chunks: AsyncIterable<Buffer>) => {
        for await (const chunk of chunks) {
          await file.write(chunk, 0, chunk.length, at);
          at += chunk.length;
        }
      },
    );
    if (Math.max(bytes, at) > MAX_BYTES) throw tooLarge();
    const packed = at - start - HEADER_BYTES - name.length;
    const sizes = record('llllss', [FIRST_DAY << 16, checksum, packed, bytes, name.length, NONE]);
    const common = Buffer.concat([record('sss', [20, NONE, DEFLATED]), sizes]);
    const header = Buffer.concat([Buffer.from('PK\x03\x04'), common, name]);
    await file.write(header, 0, header.length, start);
    const place = record('sssll', [NONE, NONE, NONE, NONE, start]);
    directory.push(Buffer.from('PK\x01\x02'), record('s', [20]), common, place, name);
  }
  const entries = Buffer.concat(directory);
  const counts = [NONE, NONE, parts.length, parts.length, entries.length, at, NONE];
  const end = Buffer.concat([entries, Buffer.from('PK\x05\x06'), record('sssslls', counts)]);
  await file.write(end, 0, end.length, at);
}

/** Numbers of two bytes (`s`) and of four (`l`), the lowest byte first. */
function record(form: string, values: readonly number[]): Buffer {
  return Buffer.concat(
    values.map((value, i) => {
      const bytes = Buffer.alloc(4);
      bytes.writeUInt32LE(value >>> 0);
      return bytes.subarray(0, form[i] === 's' ? 2 : 4);
    }),
  );
}

function tooLarge(): Fault {
  return new Fault('query', 'The sheet is larger than 4 GiB, the limit of its format.', {
    advice: 'Name fewer columns with --columns, or use --format parquet or csv.',
  });
}
