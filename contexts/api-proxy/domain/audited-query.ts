import { streamKindOf } from './request-kind.ts';

/** Parameters that a kind has no use for are left out: they could only hide the others in a long entry. */
const NAMED: Readonly<Partial<Record<string, readonly string[]>>> = {
  exec: ['container', 'command'],
  attach: ['container'],
  portforward: ['ports'],
};

/**
 * The action of a request inside a workload: the container, and the command or ports. Empty for all other requests, whose
 * path says enough.
 */
export function auditedQuery(path: string): string {
  const names = NAMED[streamKindOf(path) ?? ''];
  if (names === undefined || !path.includes('?')) return '';
  const asked = new URLSearchParams(path.slice(path.indexOf('?') + 1));
  const named = new URLSearchParams([...asked].filter(([name]) => names.includes(name)));
  return named.size === 0 ? '' : `?${named.toString()}`;
}
