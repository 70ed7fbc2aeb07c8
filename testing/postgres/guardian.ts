import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Account } from './account.ts';

export interface Guardian {
  /** Its work was done by the owner. */
  release(): Promise<void>;
}

/**
 * Watches over a server's folder for as long as this process lives. When the process is gone, however it went, the
 * guardian stops the server that runs in the folder and removes the folder.
 *
 * It learns of the end by the end of its input, which the kernel closes even after SIGKILL. The script is handed over as
 * an argument, as the account may not be able to read the checkout.
 */
export function startGuardian(folder: string, account: Account): Guardian {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guardian', folder], {
    ...account,
    cwd: folder,
    env: { PATH: '/usr/bin:/bin' },
    // In a session of its own, so that Ctrl-C in the terminal does not end it before its work is done.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const input = child.stdin as Socket;
  child.unref();
  input.unref();
  input.on('error', () => {});
  return {
    release: async () => {
      if (child.exitCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      input.end();
      await ended;
    },
  };
}

const SCRIPT = `
cat > /dev/null
cd /
file="$1/data/postmaster.pid"
pid=$(head -n 1 "$file" 2> /dev/null)
if [ -n "$pid" ]; then
  kill -QUIT "$pid"
  tries=0
  while [ -e "$file" ] && kill -0 "$pid"; do
    tries=$((tries + 1))
    [ $tries -eq 100 ] && kill -KILL "$pid"
    [ $tries -gt 110 ] && break
    sleep 0.1
  done
fi
tries=0
while [ -e "$1" ] && [ $tries -lt 50 ]; do
  rm -rf "$1" || sleep 0.1
  tries=$((tries + 1))
done
`;
