import { parseYaml, YamlError } from '#kit/yaml';
import { KubeError } from '../kube-error.ts';
import { Fields } from './fields.ts';

/** A named part of a kubeconfig, and the folder of its file: relative paths start there. */
export interface Entry {
  readonly fields: Fields;
  /** Undefined if the document came as text, from an unknown source. */
  readonly folder: string | undefined;
}

/** One kubeconfig, or several merged into one. */
export interface KubeconfigDocument {
  readonly currentContext: string | undefined;
  readonly clusters: ReadonlyMap<string, Entry>;
  readonly users: ReadonlyMap<string, Entry>;
  readonly contexts: ReadonlyMap<string, Entry>;
}

export interface DocumentSource {
  /** For messages: the file's path. */
  readonly name: string;
  readonly folder: string | undefined;
}

export function readKubeconfig(text: string, { name, folder }: DocumentSource): KubeconfigDocument {
  const document = new Fields(valueOf(text, name), name);
  const kind = document.text('kind') ?? 'Config';
  if (kind !== 'Config') throw new KubeError('CONFIG_INVALID', `${name} is of the kind ${kind}, not Config`);
  return {
    currentContext: document.text('current-context'),
    clusters: entries(document, ['clusters', 'cluster'], folder),
    users: entries(document, ['users', 'user'], folder),
    contexts: entries(document, ['contexts', 'context'], folder),
  };
}

/** Merges like kubectl merges the files of `KUBECONFIG`: the first file that names an entry defines all of it. */
export function mergeKubeconfigs(documents: readonly KubeconfigDocument[]): KubeconfigDocument {
  const firstOf = (part: 'clusters' | 'users' | 'contexts'): Map<string, Entry> =>
    new Map(documents.toReversed().flatMap((document) => [...document[part]]));
  return {
    currentContext: documents.find(({ currentContext }) => currentContext !== undefined)?.currentContext,
    clusters: firstOf('clusters'),
    users: firstOf('users'),
    contexts: firstOf('contexts'),
  };
}

function valueOf(text: string, name: string): unknown {
  try {
    return parseYaml(text);
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    // The parser's message may quote the text, which may hold a key.
    const what = error.code === 'YAML_TOO_LARGE' ? 'it is too large or too deep' : 'it is not valid YAML';
    throw new KubeError('CONFIG_INVALID', `read ${name}: ${what}, at line ${String(error.details['line'])}`);
  }
}

function entries(document: Fields, [list, part]: [string, string], folder: string | undefined): Map<string, Entry> {
  const named = new Map<string, Entry>();
  for (const item of document.parts(list)) {
    const name = item.text('name');
    if (name === undefined) throw new KubeError('CONFIG_INVALID', `${item.where} has no name`);
    if (named.has(name)) throw new KubeError('CONFIG_INVALID', `${document.where}: ${list} has ${name} twice`);
    const fields = new Fields(item.value(part), `${document.where}: ${part} ${name}`);
    named.set(name, { fields, folder });
  }
  return named;
}
