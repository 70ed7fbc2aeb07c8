import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { ClusterOrder } from './cluster-host.ts';
import type { ClusterSize } from './programs.ts';

/** The calls to the process that owns the clusters. */
export type HostCall =
  | { readonly do: 'prepare' | 'shared'; readonly size: ClusterSize }
  | { readonly do: 'create'; readonly order: ClusterOrder }
  | { readonly do: 'stop' | 'start' | 'compact' | 'remove'; readonly name: string };

export interface HostProcess {
  readonly socket: string;
  readonly pid: number | undefined;
  stop(): Promise<void>;
}

const PROGRAM = fileURLToPath(new URL('./host-process.ts', import.meta.url));

/** Starts a host that ends with this process and never keeps it alive. */
export async function startHostProcess(env: NodeJS.ProcessEnv): Promise<HostProcess> {
  const child = spawn(process.execPath, [PROGRAM], {
    env,
    // In its own session, so that Ctrl-C does not stop clusters while tests are still cleaning up.
    detached: true,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const socket = await firstLine(child);
  child.unref();
  (child.stdin as Socket).unref();
  child.stdout.destroy();
  return {
    socket,
    pid: child.pid,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
    },
  };
}

/** The caller's signal ends the waiting, not the work: another process may wait for it, too. */
export async function callHost<T>(socket: string, call: HostCall, signal: AbortSignal): Promise<T> {
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ socketPath: socket, path: '/', method: 'POST', signal, agent: false }, resolve)
      .on('error', reject)
      .end(JSON.stringify(call));
  });
  const text = Buffer.concat(await answer.toArray()).toString();
  if (answer.statusCode !== 200) throw new Error(text);
  return JSON.parse(text) as T;
}

async function firstLine(child: ChildProcessByStdio<Writable, Readable, null>): Promise<string> {
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('start the process that owns the clusters: it ended');
}
