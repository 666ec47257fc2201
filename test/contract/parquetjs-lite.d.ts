/** As much of the package as the tests use; it comes without types. */
declare module 'parquetjs-lite' {
  interface ParquetCursor {
    /** The next row, or null after the last one; columns that are NULL are left out. */
    next(): Promise<Readonly<Record<string, unknown>> | null>;
  }
  export class ParquetReader {
    static openFile(path: string): Promise<ParquetReader>;
    getRowCount(): { toString(): string };
    getCursor(): ParquetCursor;
    close(): Promise<void>;
  }
}
