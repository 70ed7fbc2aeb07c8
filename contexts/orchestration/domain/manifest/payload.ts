import type { Json } from '#kit/std';
import { contentHash } from '#kit/std';
import type { Document } from '#protocol/delivery';
import { identityKey, identityOf } from './document-identity.ts';
import { type Fingerprint, splitSecrets } from './split-secrets.ts';

/** The content of one revision for one target, in the form in which it is stored, compared and hashed. */
export interface Payload {
  /** Sorted, with a reference in place of each secret. */
  readonly documents: readonly Document[];
  /** By reference; to be sealed. */
  readonly secrets: Readonly<Record<string, Json>>;
  /** Equal for equal content, secrets included, whatever the order in which it was written. */
  readonly hash: string;
}

export function payloadOf(documents: readonly Document[], fingerprint: Fingerprint): Payload {
  const { open, secrets } = splitSecrets(inOrder(documents), fingerprint);
  return { documents: open, secrets, hash: contentHash(open) };
}

/**
 * DECISION: documents with an identity are a set. Agents apply them in their own order (namespaces first), so moving one
 * within a file is no change and causes no delivery. Documents without an identity keep their order, after the others.
 */
function inOrder(documents: readonly Document[]): readonly Document[] {
  const keyed = documents.map((document) => {
    const identity = identityOf(document);
    return { document, key: identity === undefined ? undefined : identityKey(identity) };
  });
  return keyed.sort((a, b) => compareKeys(a.key, b.key)).map(({ document }) => document);
}

function compareKeys(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return Number(a === undefined) - Number(b === undefined);
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
