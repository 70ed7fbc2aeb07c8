/** The `data` of a ConfigMap or Secret in API format: strings, base64-encoded for a Secret. */
export type ResourceData = Readonly<Record<string, string>>;

/**
 * The values, sorted by the bytes of their keys. The hash is computed over their concatenation. It ignores keys and the
 * boundaries between values, because Cluster API does and bindings are shared with it.
 */
export function normaliseData(kind: string, data: ResourceData): readonly Uint8Array[] {
  const values = Object.entries(data).toSorted(([a], [b]) => compareBytes(a, b));
  const encoder = new TextEncoder();
  return values.map(([, value]) => (kind === 'Secret' ? Uint8Array.fromBase64(value) : encoder.encode(value)));
}

/** Data keys consist of letters, digits, `-`, `_` and `.`, so comparing code units compares bytes. */
function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
