import type { Paint } from './paint.ts';
import { type DifferenceKind, type DocumentDifference, type FieldDifference, renderDiff } from './render-diff.ts';

/** The changes of a deployment's spec: its fields, and its inline documents one by one. */
export interface SpecDifference {
  readonly fields: readonly FieldDifference[];
  readonly documents: readonly DocumentDifference[];
}

/** Renders the changes of a spec: how many objects, its fields, then its objects. */
export function renderSpecDiff(changes: readonly FieldDifference[], paint: Paint, isBrief = false): string[] {
  if (changes.length === 0) return [];
  const { fields, documents } = specDifference(changes);
  const spec = fields.length === 0 ? [] : [{ document: 'spec', kind: 'changed', fields } as const];
  const summary = documents.length === 0 ? [] : [`objects: ${countsText(documents)}`];
  return [...summary, ...renderDiff(spec, paint), ...renderDiff(documents, paint, isBrief)];
}

/** Renders what changes on a target: how many objects where there are several, then each. */
export function renderTargetDiff(documents: readonly DocumentDifference[], paint: Paint, isBrief = false): string[] {
  // The content differs, but nothing that has a meaning: the order of documents, or of items that have a merge key.
  if (documents.length === 0) return ['only the order differs'];
  const summary = documents.length === 1 ? [] : [`objects: ${countsText(documents)}`];
  return [...summary, ...renderDiff(documents, paint, isBrief)];
}

/** The changes of one document follow each other. Documents of the children of a group are told apart by their place. */
export function specDifference(changes: readonly FieldDifference[]): SpecDifference {
  const documents = new Map<string, { document: string; kind: DifferenceKind; fields: FieldDifference[] }>();
  for (const change of changes) {
    const within = placeIn(change);
    if (within === undefined) continue;
    const { key, document, path } = within;
    const kind = path === '' ? change.kind : 'changed';
    const entry = documents.get(key) ?? { document, kind, fields: [] };
    entry.fields.push({ ...change, path, named: path });
    documents.set(key, entry);
  }
  return {
    fields: changes.filter((change) => placeIn(change) === undefined),
    documents: [...documents.values()],
  };
}

/** `3 added, 1 removed, 12 changed`, without what there is none of. */
export function countsText(documents: readonly { readonly kind: DifferenceKind }[]): string {
  const counts = Map.groupBy(documents, ({ kind }) => kind);
  const kinds = ['added', 'removed', 'changed'] as const;
  return kinds.flatMap((kind) => (counts.has(kind) ? [`${counts.get(kind)?.length} ${kind}`] : [])).join(', ');
}

const USUAL = '/manifest/documents';

function placeIn({ document, named }: FieldDifference) {
  const label = `[${document}]`;
  const start = document === undefined ? -1 : (named?.indexOf(label) ?? -1);
  if (document === undefined || named === undefined || start < 0) return undefined;
  const list = named.slice(0, start);
  const shown = list === USUAL ? document : `${document} in ${list}`;
  return { key: `${list}${label}`, document: shown, path: named.slice(start + label.length) };
}
