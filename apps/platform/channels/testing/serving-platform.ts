import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { resolvePlatformConfig } from '../../config.ts';
import { runPlatform } from '../../run.ts';

export interface ServingPlatform {
  readonly api: string;
  readonly data: string;
  readonly lines: readonly { readonly msg: string; readonly [key: string]: unknown }[];
  /** As the administrator; throws unless the response is a success. */
  call<T = unknown>(method: string, path: string, body?: unknown): Promise<T>;
  /** With another token; returns any response. */
  callAs(token: string, method: string, path: string, body?: unknown): Promise<Answered>;
  stop(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A platform in this process, on free ports. The caller stops it. */
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
  const send = async (as: string, method: string, path: string, body?: unknown): Promise<Response> => {
    const headers = { authorization: `Bearer ${as}`, 'content-type': 'application/json' };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    return await fetch(`${api}${path}`, { method, headers, ...sent });
  };
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const answer = await send(token, method, path, body);
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (text === '' ? undefined : JSON.parse(text)) as T;
  };
  const callAs = async (as: string, method: string, path: string, body?: unknown): Promise<Answered> => {
    const answer = await send(as, method, path, body);
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? {} : (JSON.parse(text) as Answered['body']) };
  };
  return { api, data, lines, call, callAs, stop };
}
