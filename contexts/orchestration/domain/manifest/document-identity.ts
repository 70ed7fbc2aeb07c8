import type { Document } from '#protocol/delivery';
import { fieldOf } from './json.ts';

/** What a document is called by, when it says so as Kubernetes objects do. Its version is not part of it. */
export interface DocumentIdentity {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** `undefined` for a document that is known only by its place among the others. */
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

/** `apps/Deployment/shop/web`: for people to read, and no two documents of a payload have the same. */
export function identityText({ group, kind, namespace, name }: DocumentIdentity): string {
  return [group, kind, namespace, name].filter((part) => part !== '').join('/');
}

/** One text for one identity, so that they can be compared and put in order. */
export function identityKey({ group, kind, namespace, name }: DocumentIdentity): string {
  return JSON.stringify([group, kind, namespace, name]);
}
