import { createHash } from 'node:crypto';
import { stringify } from 'yaml';
import type { FolderDeps } from '../application/directory-agent.ts';
import { FileRecordStore } from './file-record-store.ts';
import { NodeFolder } from './node-folder.ts';
import { spawnedCommands } from './spawned-commands.ts';

export interface OpenFolderOptions {
  readonly path: string;
  readonly allowsCommands: boolean;
  readonly now: () => number;
}

/** Opens a folder on this machine; its target is assigned later. */
export async function openFolder({
  path,
  allowsCommands,
  now,
}: OpenFolderOptions): Promise<Omit<FolderDeps, 'target'>> {
  const records = await FileRecordStore.open(path);
  return {
    folder: new NodeFolder(path),
    records,
    commands: spawnedCommands(path),
    allowsCommands,
    render: (document) => stringify(document, { sortMapEntries: false, lineWidth: 0 }),
    sha256: (content) => createHash('sha256').update(content).digest('hex'),
    now,
  };
}
