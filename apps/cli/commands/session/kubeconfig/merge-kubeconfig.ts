import { type Document, isMap, isSeq, YAMLSeq } from 'yaml';
import { readYaml } from '#kit/yaml';
import type { KubeconfigEntries, NamedEntry } from './kubeconfig-entries.ts';

/** The reason why a text is not a kubeconfig that entries can be added to. */
export class NotAKubeconfig extends Error {}

const EMPTY = 'apiVersion: v1\nkind: Config\npreferences: {}\nclusters: []\nusers: []\ncontexts: []\n';
const KINDS = ['clusters', 'users', 'contexts'] as const;

/**
 * The kubeconfig with these entries replacing those of the same names, and everything else unchanged, comments
 * included. The first entry becomes current if none is.
 */
export function mergeKubeconfig(before: string, entries: KubeconfigEntries): string {
  const document = parsedAs(before.trim() === '' ? EMPTY : before);
  for (const kind of KINDS) {
    const list = listIn(document, kind);
    for (const entry of entries[kind]) put(document, list, entry);
  }
  const [first] = entries.contexts;
  const current = document.get('current-context');
  if ((current === undefined || current === null || current === '') && first !== undefined) {
    document.set('current-context', first.name);
  }
  return document.toString({ lineWidth: 0 });
}

function parsedAs(text: string): Document {
  const [document, second] = readYaml(text).documents;
  const [error] = document.errors;
  if (error !== undefined) throw new NotAKubeconfig(`it is not YAML (${error.code})`);
  if (second !== undefined) throw new NotAKubeconfig('it has more than one document');
  if (!isMap(document.contents)) throw new NotAKubeconfig('it is not an object');
  const kind = document.get('kind');
  if (kind !== undefined && kind !== 'Config') throw new NotAKubeconfig(`its kind is not Config`);
  return document;
}

function listIn(document: Document, kind: (typeof KINDS)[number]): YAMLSeq {
  const list = document.get(kind);
  if (isSeq(list)) return list;
  if (list !== undefined && list !== null) throw new NotAKubeconfig(`${kind} is not a list`);
  const made = new YAMLSeq();
  document.set(kind, made);
  return made;
}

function put(document: Document, list: YAMLSeq, entry: NamedEntry): void {
  // An empty list written as [] would put all entries on one line.
  list.flow = false;
  const node = document.createNode(entry);
  const at = list.items.findIndex((item) => isMap(item) && item.get('name') === entry.name);
  if (at === -1) list.items.push(node);
  else list.items[at] = node;
}
