import type { TemporalAddress } from './engine-options.ts';
import { TemporalError } from './temporal-error.ts';

const DEFAULT_PORT = '7233';

/** Reads `temporal://host:port/namespace`. Defaults: port 7233, namespace `default`. */
export function parseTemporalUrl(text: string): TemporalAddress {
  const url = URL.parse(text);
  const namespace = decodeURIComponent(url?.pathname.slice(1) ?? '');
  const isPlain = url !== null && url.username === '' && url.password === '' && url.search === '' && url.hash === '';
  if (!isPlain || url.protocol !== 'temporal:' || url.hostname === '' || namespace.includes('/')) {
    throw new TemporalError(
      'TEMPORAL_URL_INVALID',
      'read the address of Temporal: it has the form temporal://host:port/namespace',
    );
  }
  return { address: `${url.hostname}:${url.port || DEFAULT_PORT}`, namespace: namespace || 'default' };
}
