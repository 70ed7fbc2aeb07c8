/** What a ConfigMap or a Secret has in `data`, as the API has it: texts, of a Secret in base64. */
export type ResourceData = Readonly<Record<string, string>>;

/**
 * The values, by their keys in the order of their bytes. It is over these that the hash is made, one after the other: that
 * neither keys nor where one value ends and the next begins count is how Cluster API does it, and bindings are shared with it.
 */
export function normaliseData(kind: string, data: ResourceData): readonly Uint8Array[] {
  const values = Object.entries(data).toSorted(([a], [b]) => compareBytes(a, b));
  const encoder = new TextEncoder();
  return values.map(([, value]) => (kind === 'Secret' ? Uint8Array.fromBase64(value) : encoder.encode(value)));
}

/** Keys of data are letters, digits, `-`, `_` and `.`, so that code units are bytes. */
function compareBytes(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
