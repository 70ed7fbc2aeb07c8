import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { cacheFolder, findGoProgram, fingerprint } from '#testing/go-program';

/** A request that arrived at the API server. */
export interface Seen {
  readonly method: string;
  readonly path: string;
  /** In base64. */
  readonly body: string;
  /** Whether the request was incomplete. */
  readonly cut: boolean;
  readonly header: Readonly<Record<string, readonly string[]>>;
}

export interface RecordingServer {
  readonly url: string;
  /** The requests since the previous call. */
  seen(signal: AbortSignal): Promise<readonly Seen[]>;
  stop(): Promise<void>;
}

/** `undefined` where Go is not installed. */
export async function findRecordingServer(log: (line: string) => void): Promise<string | undefined> {
  const module = join(import.meta.dirname, 'server');
  const sources = ['go.mod', 'main.go'].map((name) => readFileSync(join(module, name), 'utf8'));
  const file = join(cacheFolder(process.env, 'e2e', `proxy-framing-${fingerprint(sources)}`), 'recording-server');
  const source = { module, package: '.' };
  return await findGoProgram(
    { title: 'the recording server', file, takes: 'a few seconds', source },
    { log, env: process.env },
  );
}

export async function startRecordingServer(program: string): Promise<RecordingServer> {
  const child = spawn(program, [], { stdio: ['pipe', 'pipe', 'ignore'], env: {} });
  const ended = once(child, 'exit');
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  const [url = '', control = ''] = line.split(' ');
  return {
    url,
    seen: async (signal) => (await (await fetch(control, { signal })).json()) as Seen[],
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}
