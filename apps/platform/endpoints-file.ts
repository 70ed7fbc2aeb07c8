import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type HostPort, printHostPort } from '#kit/config';
import { replaceFile } from './durable-file.ts';

interface Listening {
  readonly http?: HostPort | undefined;
  readonly https?: HostPort | undefined;
}

/** Where a platform serves while it runs, in its data folder: the CLI sends the token beside it nowhere else. */
export function endpointsFile(dataFolder: string): string {
  return join(dataFolder, 'endpoints.json');
}

/** Removed by what it returns. */
export function writeEndpoints(dataFolder: string, { http, https }: Listening): () => void {
  const file = endpointsFile(dataFolder);
  const urls = [...urlsAt('http', http), ...urlsAt('https', https)];
  replaceFile(file, `${JSON.stringify({ urls }, undefined, 2)}\n`, 0o600);
  return () => rmSync(file, { force: true });
}

/**
 * As addresses: which one a name stands for is for others to say, and another program may listen there. With TLS a name
 * will do, as the certificate is checked before anything is sent.
 */
function urlsAt(scheme: 'http' | 'https', place: HostPort | undefined): string[] {
  if (place === undefined) return [];
  const { host, port } = place;
  const hosts = { '0.0.0.0': ['127.0.0.1'], '::': ['127.0.0.1', '::1'], localhost: ['127.0.0.1'] }[host] ?? [host];
  const named = scheme === 'https' ? ['localhost'] : [];
  return [...hosts, ...named].map((each) => `${scheme}://${printHostPort({ host: each, port })}`);
}
