import { isJsonObject, type Json, type JsonObject } from '#kit/std';
import { sortForCreate } from './sort-for-create.ts';

/** An object as written in a manifest. The cluster decides whether it is valid. */
export type ManifestObject = JsonObject;

export type Manifest =
  | { readonly kind: 'objects'; readonly objects: readonly ManifestObject[] }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Reads one YAML document as Go does. Faults never quote the document, because it may be a Secret. */
export type ReadYaml = (document: string) => YamlReading;

export type YamlReading =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'fault'; readonly why: string };

/** Each value is a JSON list of objects, or YAML documents; JSON is YAML too. */
export function readManifest(values: readonly Uint8Array[], readYaml: ReadYaml): Manifest {
  const objects: ManifestObject[] = [];
  for (const [index, value] of values.entries()) {
    const manifest = readValue(value, readYaml);
    if (manifest.kind === 'unreadable') {
      return values.length === 1 ? manifest : { ...manifest, why: `value ${index + 1}: ${manifest.why}` };
    }
    // Sorted only within a value: the keys of a resource define the order of its values.
    objects.push(...sortForCreate(manifest.objects));
  }
  return { kind: 'objects', objects };
}

function readValue(value: Uint8Array, readYaml: ReadYaml): Manifest {
  const text = decode(value);
  if (text === undefined) return unreadable('it is not UTF-8');
  return text.trimStart().startsWith('[') ? readJsonList(text) : readDocuments(text, readYaml);
}

function readJsonList(text: string): Manifest {
  const items = parseJson(text);
  if (!Array.isArray(items)) return unreadable('it begins as a JSON list and is none');
  const index = items.findIndex((item) => !isJsonObject(item));
  if (index !== -1) return unreadable(`item ${index + 1} of the JSON list is not an object`);
  return { kind: 'objects', objects: items };
}

function readDocuments(text: string, readYaml: ReadYaml): Manifest {
  const split = splitDocuments(text);
  if (split === undefined) return unreadable('a line begins with --- and is no separator of documents');
  const objects: ManifestObject[] = [];
  for (const [index, document] of split.entries()) {
    const reading = readYaml(document);
    if (reading.kind === 'fault') return unreadable(`document ${index + 1}: ${reading.why}`);
    // Only comments, or two separators in a row.
    if (reading.value === null) continue;
    if (!isJsonObject(reading.value)) return unreadable(`document ${index + 1} is not an object`);
    objects.push(reading.value);
  }
  return { kind: 'objects', objects };
}

/**
 * Splits at lines that start with `---`, which may be followed only by a comment. `undefined` if something else
 * follows.
 */
function splitDocuments(text: string): readonly string[] | undefined {
  const documents: string[] = [];
  let lines: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    if (!line.startsWith('---')) {
      lines.push(line);
      continue;
    }
    const rest = line.slice(3).trim();
    if (rest !== '' && !rest.startsWith('#')) return undefined;
    documents.push(lines.join('\n'));
    lines = [];
  }
  return [...documents, lines.join('\n')].filter((document) => document.trim() !== '');
}

function decode(value: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(value);
  } catch (error) {
    if (error instanceof TypeError) return undefined;
    throw error;
  }
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function unreadable(why: string): Manifest {
  return { kind: 'unreadable', why };
}
