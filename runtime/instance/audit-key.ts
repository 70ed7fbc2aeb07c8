import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { HeadKey } from '#contexts/governance';
import { beginKeyedChain, headKeyOf } from '#contexts/governance/adapters';
import type { Sealer } from '#kit/sealing';
import { uuidv7 } from '#kit/std';
import type { Storage } from '#kit/storage';
import type { Logger } from '#kit/telemetry';
import { createFile } from '#runtime/process/durable-file';
import { instanceSecret } from './instance-secret.ts';

export const AUDIT_HEADS_SECRET = 'audit-heads';
const FILE = 'audit-key-id';

export interface AuditKeyDeps {
  readonly storage: Storage;
  readonly sealer: Sealer;
  readonly dataFolder: string;
  readonly log: Logger;
}

/**
 * The key that authenticates the heads of the audit log, sealed in the database like others. The data folder remembers
 * its id: write access to the database alone cannot make the log look as if it never had a key, or has a new one.
 */
export async function openAuditKey(deps: AuditKeyDeps, signal: AbortSignal): Promise<HeadKey> {
  const { storage, dataFolder, log } = deps;
  const secret = await instanceSecret(deps, AUDIT_HEADS_SECRET, signal);
  const id = createHash('sha256').update('fleetshift audit key').update(secret).digest('hex').slice(0, 32);
  const key = headKeyOf(secret);
  const file = join(dataFolder, FILE);
  if (!existsSync(file)) {
    await beginKeyedChain(storage, { key, id: uuidv7(), now: Date.now() }, signal);
    createFile(file, `${id}\n`, 0o600);
  } else if (readFileSync(file, 'utf8').trim() !== id) {
    log.error({ file }, 'audit log key does not match this data folder; audit heads are not authenticated');
  }
  return key;
}
