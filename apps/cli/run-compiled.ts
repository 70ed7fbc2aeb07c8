import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Script } from 'node:vm';

/** Far above what any program of ours needs. */
const MAX_BYTES = 32 * 2 ** 20;

type Wrapped = (module: { exports: object }, exports: object, require: NodeJS.Require, url: string) => void;

/** Wraps a program; `PROGRAM_URL` stands for `import.meta.url`. */
const HEAD = '(function (module, exports, require, PROGRAM_URL) {';

export interface CompiledCode {
  /** A folder that is this user's alone; without it nothing is kept. */
  readonly folder: string | undefined;
  /** Names the use of the program, as in a file name: each use has compiled other functions. */
  readonly use: string;
}

/**
 * Runs a CommonJS program in one file, and returns its exports. It loads others with `require`, since `import()` in a script
 * is experimental. Its compiled code is kept in the folder when this process
 * exits; a later run continues with it. Node's own compile cache is written before a program runs, so it lacks all
 * functions that are compiled at their first call.
 *
 * The name of the program changes with its content, since V8 compares only the length of a source with that of its cache.
 * Compiled code is executed, so it is read only from a file of this user alone.
 */
export function runCompiled(program: string, { folder, use }: CompiledCode): object {
  const kept = folder === undefined ? undefined : join(folder, `${basename(program)}.${use}.code`);
  const cachedData = kept === undefined ? undefined : ownFile(kept);
  const script = new Script(`${HEAD}${readFileSync(program, 'utf8')}\n})`, {
    filename: program,
    ...(cachedData !== undefined && { cachedData }),
  });
  if (kept !== undefined && (cachedData === undefined || script.cachedDataRejected === true)) {
    process.once('exit', () => keep(kept, script));
  }
  const module = { exports: {} };
  (script.runInThisContext() as Wrapped)(module, module.exports, createRequire(program), pathToFileURL(program).href);
  return module.exports;
}

/** `undefined` for a file that does not exist, or that is not this user's alone. */
function ownFile(path: string): Buffer | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    const facts = fstatSync(file);
    const isOwn = facts.isFile() && facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0;
    return isOwn && facts.size <= MAX_BYTES ? readFileSync(file) : undefined;
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Written elsewhere and moved into place, so that it is never read incomplete. A failure costs only time. */
function keep(path: string, script: Script): void {
  const apart = `${path}.${process.pid}`;
  try {
    writeFileSync(apart, script.createCachedData(), { mode: 0o600, flag: 'wx' });
    renameSync(apart, path);
  } catch {
    rmSync(apart, { force: true });
  }
}
