import { hash } from 'node:crypto';
import { canonicalJson } from './canonical-json.ts';

/** `sha256:<hex>` of the canonical JSON: equal values have equal hashes, whatever the order of their keys. */
export function contentHash(value: unknown): string {
  return `sha256:${hash('sha256', canonicalJson(value), 'hex')}`;
}
