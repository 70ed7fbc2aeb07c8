import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolvePlatformConfig } from '../../config.ts';
import { runPlatform } from '../../run.ts';

export interface ServingPlatform {
  readonly api: string;
  readonly lines: readonly { readonly msg: string; readonly [key: string]: unknown }[];
  /** As the administrator; throws unless it is answered with success. */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  stop(): Promise<void>;
}

/** A platform in this process, which listens on ports that were free. Whoever has it stops it. */
export async function servingPlatform(args: readonly string[] = []): Promise<ServingPlatform> {
  const data = await mkdtemp(join(tmpdir(), 'fleetshift-channels-'));
  const own = [
    '--data',
    data,
    '--listen',
    '127.0.0.1:0',
    '--tls-listen',
    '127.0.0.1:0',
    '--fleetlet-heartbeat',
    '200ms',
  ];
  const { values: config } = resolvePlatformConfig({ args: [...own, ...args], environment: {}, readText: () => '' });
  const asked = new AbortController();
  const serving = Promise.withResolvers<string>();
  const lines: { msg: string; address?: string[] }[] = [];
  const write = (text: string): void => {
    const line = JSON.parse(text) as { msg: string; address?: string[] };
    lines.push(line);
    if (line.msg === 'serving') serving.resolve(line.address?.[0] ?? '');
  };
  const ended = runPlatform(
    { config, version: '1.2.3', environment: {}, err: { write, isTerminal: false } },
    asked.signal,
  );
  ended.catch(serving.reject);
  const stop = async (): Promise<void> => {
    asked.abort(new Error('enough'));
    await ended;
    await rm(data, { recursive: true, force: true });
  };
  const api = await serving.promise;
  const token = (await readFile(join(data, 'admin-token'), 'utf8')).trim();
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const answer = await fetch(`${api}${path}`, { method, headers, ...sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  return { api, lines, call, stop };
}
