import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { bareEnvironment } from '#testing/bare-environment';
import { MAIN } from '#testing/product';

const SERVE_ERRANDS = fileURLToPath(new URL('./serve-errands.ts', import.meta.url));

export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

type Started = ChildProcessByStdio<null, Readable, Readable>;
type Environment = Readonly<Record<string, string>>;

/** The real command in its own process. */
export async function runCommand(args: readonly string[], environment: Environment = {}): Promise<Ended> {
  const child = startCommand(args, environment);
  const exited = once(child, 'exit');
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await exited) as [number | null];
  return { code: code ?? -1, out, err };
}

/** The same without waiting for its end. */
export function startCommand(args: readonly string[], environment: Environment = {}): Started {
  return start(MAIN, args, environment);
}

export interface RunningPlatform {
  /** Plain HTTP, then TLS. */
  readonly addresses: readonly [http: string, https: string];
  stop(): Promise<void>;
}

/** `errands` has sample workflows and a token; `product` is the shipped product, with a one-time login by default. */
export async function startPlatform(
  kind: 'errands' | 'product',
  data: string,
  flags: readonly string[] = kind === 'errands' ? adminToken(data) : [],
): Promise<RunningPlatform> {
  const args = ['--data', data, '--listen', '127.0.0.1:0', '--tls-listen', '127.0.0.1:0', ...flags];
  const child = kind === 'errands' ? start(SERVE_ERRANDS, args, {}) : start(MAIN, ['serve', ...args], {});
  child.stdout.resume();
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await exited;
  };
  let told = '';
  for await (const line of createInterface({ input: child.stderr })) {
    told += `${line}\n`;
    const address = line.includes('"msg":"serving"') && (JSON.parse(line) as { address: [string, string] }).address;
    if (!address) continue;
    child.stderr.resume();
    return { addresses: address, stop };
  }
  throw new Error(`the platform ended before it served:\n${told}`);
}

/** The default address of commands. */
export function adminToken(data: string): readonly string[] {
  return ['--admin-token-file', join(data, 'admin-token')];
}

/** Runs in an empty folder that is also its home: a platform in our folder would have left a token and a context. */
function start(file: string, args: readonly string[], environment: Environment): Started {
  const folder = mkdtempSync(join(tmpdir(), 'fleetshift-cli-'));
  const child = spawn(process.execPath, [file, ...args], {
    cwd: folder,
    env: bareEnvironment(folder, environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  return child;
}
