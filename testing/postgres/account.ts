import { execFileSync } from 'node:child_process';

/** The account that a child process runs as; empty means that of this process. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Postgres refuses to run as root, so root uses an account that owns nothing else. */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    const uid = idOf(name, '-u');
    const gid = idOf(name, '-g');
    if (uid !== undefined && gid !== undefined) return { uid, gid };
  }
  throw new Error('start Postgres as root: there is neither an account "postgres" nor "nobody" to run it as');
}

function idOf(name: string, which: '-u' | '-g'): number | undefined {
  try {
    // Some systems print -2 as 4294967294, which `spawn` rejects as out of range.
    return Number(execFileSync('id', [which, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] })) | 0;
  } catch {
    return undefined;
  }
}
