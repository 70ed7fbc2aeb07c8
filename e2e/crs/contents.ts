import { createHash } from 'node:crypto';
import type { DataObject } from './crs-objects.ts';

/** The values of a ConfigMap or Secret in the order they are applied: by the bytes of their keys. */
export function contentsOf({ kind, data = {} }: DataObject): readonly string[] {
  const keys = Object.keys(data).toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  const decode = (value: string): string => (kind === 'Secret' ? Buffer.from(value, 'base64').toString() : value);
  return keys.map((key) => decode(data[key] ?? ''));
}

/** The hash as a binding records it. */
export function hashOf(contents: readonly string[]): string {
  const hash = createHash('sha256');
  for (const value of contents) hash.update(value);
  return `sha256:${hash.digest('hex')}`;
}
