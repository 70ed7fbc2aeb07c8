import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';

export interface GuardianOptions {
  /** The account to run as; empty means that of this process. */
  readonly account?: { readonly uid?: number; readonly gid?: number };
  /** QUIT for a program that has to end its own children; it is killed if that takes longer than ten seconds. */
  readonly signal?: 'KILL' | 'QUIT';
}

export interface Guardian {
  /** From now on these processes, each with its group, end when this process ends. Replaces the previous list. */
  watch(pids: readonly number[]): void;
  /** The processes have ended and the folder is gone: nothing is left to do. */
  release(): Promise<void>;
}

/**
 * Ends servers and removes their folder when this process is gone, for whatever reason: the guardian's input then ends,
 * since the kernel closes it even after SIGKILL. The script is passed as an argument, because the account may not be able
 * to read the checkout.
 */
export function startGuardian(folder: string, { account = {}, signal = 'KILL' }: GuardianOptions = {}): Guardian {
  const child = spawn('/bin/sh', ['-c', SCRIPT, 'guardian', folder, signal], {
    ...account,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
    // In its own session, so that Ctrl-C in the terminal does not end it before its work is done.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const input = child.stdin as Socket;
  child.unref();
  input.unref();
  input.on('error', () => {});
  return {
    watch: (pids) => {
      input.write(`${pids.join(' ')}\n`);
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

// The last line received names the processes. A process that leads no group is ended alone.
const SCRIPT = `
send() { kill -s "$1" -- "-$2" || kill -s "$1" "$2"; }
pids=
while read -r line; do pids=$line; done
for pid in $pids; do send "$2" "$pid"; done
tries=0
if [ "$2" != KILL ]; then
  for pid in $pids; do
    while [ $tries -lt 100 ] && kill -0 "$pid"; do
      tries=$((tries + 1))
      sleep 0.1
    done
    send KILL "$pid"
  done
fi
tries=0
while [ -e "$1" ] && [ $tries -lt 50 ]; do
  rm -rf "$1" || sleep 0.1
  tries=$((tries + 1))
done
`;
