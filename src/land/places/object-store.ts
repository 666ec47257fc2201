/** An object, as a listing or a look at it says. */
export interface ObjectFacts {
  /** Name below the prefix of the store; the names of folders end with a slash. */
  readonly key: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

/** Requests that a lake needs of an object store. Large bodies take several. */
export interface ObjectStore {
  /** False if an object with other bytes has the key. */
  putIfAbsent(key: string, body: Buffer): Promise<boolean>;
  put(key: string, body: Buffer): Promise<void>;
  /** The bytes of an object, or a range of them with both ends; undefined without an object. */
  get(
    key: string,
    range?: { readonly from: number; readonly to: number },
  ): Promise<Buffer | undefined>;
  facts(key: string): Promise<ObjectFacts | undefined>;
  /** Objects and folders in a folder, whose name ends with a slash, or all objects below it. */
  list(folder: string, depth: 'folder' | 'all'): Promise<ObjectFacts[]>;
  delete(key: string): Promise<void>;
}
