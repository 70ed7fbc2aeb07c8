import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { KEY_BYTES } from './aes-gcm.ts';
import { createDraft, createPrivateFile, hasCode, readPrivateFile, replaceByDraft } from './private-file.ts';
import { SealingError } from './sealing-error.ts';

const KeySchema = Type.Object(
  {
    id: Type.String({ pattern: '^[A-Za-z0-9._-]{1,128}$' }),
    /** In base64. */
    key: Type.String({ pattern: '^[A-Za-z0-9+/]{43}=$' }),
    createTime: Type.Integer(),
    /** When another key became active. */
    retireTime: Type.Optional(Type.Integer()),
  },
  { additionalProperties: false },
);

const KeyFileSchema = Type.Object(
  { version: Type.Literal(1), active: Type.String(), keys: Type.Array(KeySchema, { minItems: 1 }) },
  { additionalProperties: false },
);

export type KeyFile = Static<typeof KeyFileSchema>;
export type FileKey = Static<typeof KeySchema>;

/** An older draft was left by a process that ended before it could replace the file. */
const DRAFT_MS = 60_000;

export function readKeyFile(file: string): KeyFile | undefined {
  const found = attempt(file, 'read', () => readPrivateFile(file));
  if (found === undefined) return undefined;
  if (found.isExposed) throw unusable(file, `can be read by other users; run: chmod 600 ${file}`);
  const content = parse(found.text);
  if (content === undefined) throw unusable(file, 'does not hold keys; put the right file there, or that of a backup');
  return content;
}

/** Creates the file with one key. Returns false if there is a file already. */
export function createKeyFile(file: string, now: number): boolean {
  const key = newKey(now);
  return attempt(file, 'write', () => createPrivateFile(file, format({ version: 1, active: key.id, keys: [key] })));
}

/** Reads, changes and replaces the file, with other processes locked out. */
export function changeKeyFile(file: string, change: (current: KeyFile) => KeyFile): void {
  const draft = `${file}.next`;
  claimDraft(file, draft);
  try {
    const current = readKeyFile(file);
    if (current === undefined) throw missing(file);
    const next = change(current);
    attempt(file, 'write', () => replaceByDraft(file, draft, format(next)));
  } finally {
    rmSync(draft, { force: true });
  }
}

export function newKey(now: number): FileKey {
  const id = `k${randomBytes(8).toString('hex')}`;
  return { id, key: randomBytes(KEY_BYTES).toString('base64'), createTime: now };
}

export function missing(file: string): SealingError {
  return new SealingError(
    'KEY_FILE_MISSING',
    `the key file ${file} is not there, and this database holds values that are sealed with it; ` +
      'put it back, or take it from a backup. Without it these values are lost',
  );
}

function claimDraft(file: string, draft: string): void {
  for (let isSecondTry = false; ; isSecondTry = true) {
    try {
      return createDraft(draft);
    } catch (error) {
      if (!hasCode(error, 'EEXIST')) throw unusable(file, `cannot be written (${String(error)})`, error);
      const began = statSync(draft, { throwIfNoEntry: false })?.mtimeMs ?? 0;
      if (isSecondTry || Date.now() - began < DRAFT_MS) {
        throw new SealingError('KEY_FILE_BUSY', `another process is changing the key file ${file}; try again`);
      }
      rmSync(draft, { force: true });
    }
  }
}

function parse(text: string): KeyFile | undefined {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Value.Check(KeyFileSchema, content)) return undefined;
  const ids = content.keys.map(({ id }) => id);
  return new Set(ids).size === ids.length && ids.includes(content.active) ? content : undefined;
}

function format(content: KeyFile): string {
  return `${JSON.stringify(content, undefined, 2)}\n`;
}

function attempt<T>(file: string, verb: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof SealingError) throw cause;
    throw unusable(file, `cannot be ${verb === 'read' ? 'read' : 'written'} (${String(cause)})`, cause);
  }
}

function unusable(file: string, why: string, cause?: unknown): SealingError {
  return new SealingError('KEY_FILE_UNUSABLE', `the key file ${file} ${why}`, { cause });
}
