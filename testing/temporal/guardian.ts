import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

export interface Guardian {
  /** From now on this process goes when we go. */
  watch(pid: number): void;
  /** The process has ended and the folder is gone: nothing is left to do. */
  release(): Promise<void>;
}

/**
 * Kills a server and removes its folder when this process is gone, however it went: it learns of that by the end of its
 * input, which the kernel closes even after SIGKILL.
 */
export function startGuardian(folder: string): Guardian {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guardian', folder], {
    cwd: '/',
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
    watch: (pid) => {
      input.write(`${pid}\n`);
    },
    release: async () => {
      if (child.exitCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      input.end('\n');
      await ended;
    },
  };
}

// The last line that came is the process to kill; an empty one means none.
const SCRIPT = `
pid=
while read -r line; do pid=$line; done
[ -n "$pid" ] && kill -KILL "$pid"
tries=0
while [ -e "$1" ] && [ $tries -lt 50 ]; do
  rm -rf "$1" || sleep 0.1
  tries=$((tries + 1))
done
`;
