import { streamKindOf } from './request-kind.ts';

const INTO_WORKLOADS: readonly (string | undefined)[] = ['exec', 'attach', 'portforward'];
const NAMED = new Set(['container', 'command', 'ports']);

/**
 * The action of a request inside a workload: the container, and the command or ports. Empty for all other requests, whose
 * path says enough.
 */
export function auditedQuery(path: string): string {
  if (!INTO_WORKLOADS.includes(streamKindOf(path))) return '';
  const asked = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  const named = new URLSearchParams([...asked].filter(([name]) => NAMED.has(name)));
  return named.size === 0 ? '' : `?${named.toString()}`;
}
