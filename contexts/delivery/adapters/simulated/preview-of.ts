import { canonicalJson } from '#kit/std';
import type { DeliveryOrder, Document, PreviewAnswer } from '#protocol/delivery';

/** The content of a deployment on the target, as far as it is known. */
export interface Present {
  readonly hash: string;
  readonly documents: readonly Document[] | undefined;
}

/** `undefined` when there is content that is no longer known. */
export function previewOf(present: Present | undefined, order: DeliveryOrder): PreviewAnswer | undefined {
  const after = order.kind === 'deliver' ? order.documents : [];
  if (order.kind === 'deliver' && present?.hash === order.hash) return wouldApply([]);
  if (present !== undefined && present.documents === undefined) return undefined;
  const [old, next] = [textsOf(present?.documents ?? []), textsOf(after)];
  const changes = [...next].flatMap(([name, text]) => {
    if (!old.has(name)) return [`create ${name}`];
    return old.get(name) === text ? [] : [`update ${name}`];
  });
  const gone = [...old.keys()].filter((name) => !next.has(name)).map((name) => `delete ${name}`);
  return wouldApply([...changes, ...gone]);
}

function wouldApply(changes: readonly string[]): PreviewAnswer {
  return { kind: 'wouldApply', message: '', changes };
}

function textsOf(documents: readonly Document[]): ReadonlyMap<string, string> {
  return new Map(documents.map((document, index) => [nameOf(document, index), canonicalJson(document)]));
}

/** The name of a Kubernetes object; other documents are named by their position. */
function nameOf(document: Document, index: number): string {
  const { apiVersion, kind } = document;
  const { namespace, name } = isObject(document['metadata']) ? document['metadata'] : {};
  const words = [apiVersion, kind, namespace, name].filter((word) => typeof word === 'string');
  return typeof kind === 'string' && typeof name === 'string' ? words.join('/') : `document ${index + 1}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
