import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import { fileSink, sendTo } from './sink.ts';

/** The first day of the format: equal selections give equal files. */
const MADE = { mtime: new Date(1980, 0, 1), forceDosTimestamp: true };

const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';

/** Number formats of cells; the style of a cell is its position. */
export const CELL_FORMATS = ['General', 'yyyy-mm-dd', 'yyyy-mm-dd hh:mm:ss'] as const;

/**
 * Writes a workbook of one sheet, whose rows are XML, in bounded memory. The first row stays in
 * view. `widths` are those of the columns, in characters.
 */
export function writeWorkbook(
  file: string,
  widths: readonly number[],
  rows: AsyncIterable<string>,
): Promise<void> {
  return sendTo(fileSink(file), archived(Readable.from(sheetXml(widths, rows))));
}

async function* archived(sheet: Readable): AsyncIterable<Uint8Array> {
  const archive = new ZipFile();
  const bytes = archive.outputStream as Readable;
  sheet.on('error', (error) => bytes.destroy(error));
  for (const [path, xml] of Object.entries(frame())) {
    archive.addBuffer(Buffer.from(DECLARATION + xml), path, MADE);
  }
  archive.addReadStream(sheet, SHEET, MADE);
  archive.end();
  try {
    yield* bytes;
  } finally {
    sheet.destroy();
  }
}

const SHEET = 'xl/worksheets/sheet1.xml';

/** All parts but the sheet. */
function frame(): Readonly<Record<string, string>> {
  const formats = CELL_FORMATS.map(
    (code, i) => `<numFmt numFmtId="${164 + i}" formatCode="${code}"/>`,
  );
  const styles = CELL_FORMATS.map(
    (_, i) => `<xf numFmtId="${164 + i}" fontId="0" fillId="0" borderId="0" xfId="0"/>`,
  );
  const fills = '<fill><patternFill patternType="none"/></fill>';
  return {
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
