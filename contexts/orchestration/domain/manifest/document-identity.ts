import type { Document } from '#protocol/delivery';
import { fieldOf } from './json.ts';

/** Identifies a document, if it is named the way Kubernetes objects are. Its version is not part of the identity. */
export interface DocumentIdentity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `undefined` for a document without a kind and name, which is identified by its position only. */
export function identityOf(document: Document): DocumentIdentity | undefined {
  const metadata = fieldOf(document, 'metadata');
  const [kind, name] = [fieldOf(document, 'kind'), fieldOf(metadata, 'name')];
  if (typeof kind !== 'string' || typeof name !== 'string') return undefined;
  const [apiVersion, namespace] = [fieldOf(document, 'apiVersion'), fieldOf(metadata, 'namespace')];
  return {
    group:
      typeof apiVersion === 'string' && apiVersion.includes('/') ? apiVersion.slice(0, apiVersion.indexOf('/')) : '',
    kind,
    namespace: typeof namespace === 'string' ? namespace : '',
    name,
  };
}

/** `apps/Deployment/shop/web`: readable, and unique within a payload. */
export function identityText({ group, kind, namespace, name }: DocumentIdentity): string {
  return [group, kind, namespace, name].filter((part) => part !== '').join('/');
}

/** A unique text for each identity, for comparing and sorting. */
export function identityKey({ group, kind, namespace, name }: DocumentIdentity): string {
  return JSON.stringify([group, kind, namespace, name]);
}
