import { localDisk } from '../../../../src/land/storage/disk.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';
import { dyingDisk } from '../../../model/dying-disk.ts';
import { publishedFilesContract } from '../../../model/published-files.ts';

/**
 * Goal: every place for a lake keeps the same promises. test/integration/land/places tries object
 * stores.
 */

publishedFilesContract({
  name: 'a local folder',
  files: localDisk,
  dying: (killAt, error) => dyingDisk(localDisk, killAt, error),
  folder: freshFolder,
});
