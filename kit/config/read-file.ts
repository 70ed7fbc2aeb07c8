import type * as Yaml from 'yaml';
import { loadYaml, readYaml } from '#kit/yaml';
import { suggestion } from './closest.ts';
import { describeOrigin, type Fault, faultOf, type Given, type Origin, type Read } from './origin.ts';
import { mayComeFrom, namesFrom, type Settings } from './setting.ts';

/**
 * Reads a flat YAML map whose keys are the flag names. A scalar is read as written, by the same parser as the flag's
 * value, so quotes make no difference.
 */
export function readFile(settings: Settings, path: string, content: string): Read {
  const yaml = loadYaml();
  const { documents, lines } = readYaml(content, { duplicateKeys: 'last' });
  const [document, second] = documents;
  const at = (offset: number): Origin => ({ kind: 'file', path, line: lines.linePos(offset).line });
  // One mistake causes several syntax errors; the first is the one to fix.
  const [broken] = document.errors;
  if (broken !== undefined) return refused(at(broken.pos[0]), broken.message);
  if (second !== undefined) return refused(at(second.range[0]), 'has more than one document');
  if (document.contents === null) return { given: [], faults: [] };
  if (!yaml.isMap(document.contents)) return refused(at(0), 'is not a map of settings');

  const given = new Map<string, Given>();
  const faults: Fault[] = [];
  for (const pair of document.contents.items) {
    const origin = at(startOf(yaml, pair));
    const entry = readPair(yaml, settings, pair);
    const earlier = given.get(entry.name);
    if ('why' in entry) faults.push(faultOf(entry.name, origin, entry.why));
    else if (earlier !== undefined)
      faults.push(faultOf(entry.name, origin, `is already set: ${describeOrigin(earlier.origin)}`));
    else given.set(entry.name, { ...entry, origin });
  }
  return { given: [...given.values()], faults };
}

function refused(origin: Origin, why: string): Read {
  return { given: [], faults: [faultOf('YAML', origin, why)] };
}

type Entry = { readonly name: string; readonly text: string } | { readonly name: string; readonly why: string };

function readPair(yaml: typeof Yaml, settings: Settings, { key, value }: Yaml.Pair): Entry {
  const name = scalarText(yaml, key);
  if (name === undefined) return { name: 'key', why: 'is not a plain word' };
  const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (setting === undefined || !mayComeFrom(setting, 'file')) {
    return { name, why: `no such setting${suggestion(name, namesFrom(settings, 'file'))}` };
  }
  if (setting.kind.list && yaml.isSeq(value)) {
    const texts = value.items.map((item) => scalarText(yaml, item));
    if (texts.every((text) => text !== undefined)) return { name, text: texts.join(',') };
    return { name, why: `is not ${setting.kind.expects}` };
  }
  const text = scalarText(yaml, value);
  return text === undefined ? { name, why: `has no single value; needs ${setting.kind.expects}` } : { name, text };
}

function scalarText({ isScalar }: typeof Yaml, node: unknown): string | undefined {
  return isScalar(node) && node.value !== null ? node.source : undefined;
}

function startOf({ isScalar, isMap, isSeq }: typeof Yaml, { key }: Yaml.Pair): number {
  return isScalar(key) || isMap(key) || isSeq(key) ? (key.range?.[0] ?? 0) : 0;
}
