import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type HostPort, printHostPort } from '#kit/config';
import { replaceFile } from '#runtime/process/durable-file';

interface Listening {
  readonly http?: HostPort | undefined;
  readonly https?: HostPort | undefined;
}

/** The URLs of a running platform, in its data folder: the CLI sends the token of that folder nowhere else. */
export function endpointsFile(dataFolder: string): string {
  return join(dataFolder, 'endpoints.json');
}

/** Returns a function that removes the file. */
export function writeEndpoints(dataFolder: string, { http, https }: Listening): () => void {
  const file = endpointsFile(dataFolder);
  const urls = [...urlsAt('http', http), ...urlsAt('https', https)];
  replaceFile(file, `${JSON.stringify({ urls }, undefined, 2)}\n`, 0o600);
  return () => rmSync(file, { force: true });
}

/**
 * As addresses: a name may resolve elsewhere, where another program may listen. With TLS a name is safe, as the
 * certificate is verified before anything is sent.
 */
function urlsAt(scheme: 'http' | 'https', place: HostPort | undefined): string[] {
  if (place === undefined) return [];
  const { host, port } = place;
  const hosts = { '0.0.0.0': ['127.0.0.1'], '::': ['127.0.0.1', '::1'], localhost: ['127.0.0.1'] }[host] ?? [host];
  const named = scheme === 'https' ? ['localhost'] : [];
  return [...hosts, ...named].map((each) => `${scheme}://${printHostPort({ host: each, port })}`);
}
