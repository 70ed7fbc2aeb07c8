import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { RecordStore } from '../application/ports.ts';
import { DirectoryError } from '../domain/directory-error.ts';
import type { DeploymentRecord } from '../domain/order.ts';
import { STATE_FOLDER } from '../domain/safe-path.ts';
import { DRAFT_PREFIX, writeWhole } from './node-folder.ts';
import { hasCode, openBelow } from './open-below.ts';

const OWNER_ONLY = 0o600;
const VERSION = 1;

/** One file per deployment, inside the served folder, so that a copied or restored folder includes its records. */
export class FileRecordStore implements RecordStore {
  readonly instance: string;
  readonly #folder: string;
  readonly #records: Map<string, DeploymentRecord>;

  private constructor(folder: string, instance: string, records: Map<string, DeploymentRecord>) {
    this.#folder = folder;
    this.instance = instance;
    this.#records = records;
  }

  /** Creates what is missing, including the folder itself. */
  static async open(root: string): Promise<FileRecordStore> {
    try {
      await mkdir(root, { recursive: true });
      // Refuses a state folder that is a symbolic link.
      await (await openBelow(root, [STATE_FOLDER, 'deployments'], { makes: true }))?.close();
    } catch (cause) {
      if (cause instanceof DirectoryError) throw cause;
      throw new DirectoryError('FOLDER_UNUSABLE', `The folder ${root} cannot be used: ${messageOf(cause)}`, { cause });
    }
    const folder = join(root, STATE_FOLDER);
    return new FileRecordStore(folder, await instanceOf(folder), await readAll(join(folder, 'deployments')));
  }

  all(): readonly DeploymentRecord[] {
    return [...this.#records.values()];
  }

  find(deployment: string): DeploymentRecord | undefined {
    return this.#records.get(deployment);
  }

  async save(record: DeploymentRecord, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const text = JSON.stringify({ version: VERSION, ...record });
    await replace(join(this.#folder, 'deployments'), `${record.deployment}.json`, text);
    this.#records.set(record.deployment, record);
  }
}

async function instanceOf(folder: string): Promise<string> {
  try {
    return (await readFile(join(folder, 'instance'), 'utf8')).trim();
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
  const instance = randomUUID();
  await replace(folder, 'instance', `${instance}\n`);
  return instance;
}

async function readAll(folder: string): Promise<Map<string, DeploymentRecord>> {
  const records = new Map<string, DeploymentRecord>();
  for (const name of await readdir(folder)) {
    // Left behind by a process that ended while writing.
    if (name.startsWith(DRAFT_PREFIX)) await rm(join(folder, name), { force: true });
    if (!name.endsWith('.json')) continue;
    const record = await readRecord(join(folder, name));
    records.set(record.deployment, record);
  }
  return records;
}

async function readRecord(file: string): Promise<DeploymentRecord> {
  const text = await readFile(file, 'utf8');
  try {
    const { version, ...record } = JSON.parse(text) as DeploymentRecord & { readonly version: number };
    if (version !== VERSION) throw new Error(`its version is ${version}; this release supports ${VERSION}`);
    const { deployment, seen, files, held, work } = record;
    const { revision, hash, origin } = seen;
    const last = { revision, hash, ...(origin !== undefined && { origin }) };
    return { deployment, seen: last, files, held, work };
  } catch (cause) {
    const message = `${file} cannot be read: ${messageOf(cause)}. Move it away, and the platform will deliver again.`;
    throw new DirectoryError('STATE_UNREADABLE', message, { cause });
  }
}

async function replace(folder: string, name: string, text: string): Promise<void> {
  const draft = join(folder, `${DRAFT_PREFIX}${randomUUID()}`);
  try {
    await writeWhole(draft, Buffer.from(text), OWNER_ONLY);
    await rename(draft, join(folder, name));
  } catch (error) {
    await unlink(draft).catch(() => {});
    throw error;
  }
  const opened = await openBelow(folder, [], { makes: false });
  await opened?.sync();
  await opened?.close();
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
