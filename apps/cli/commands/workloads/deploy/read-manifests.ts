import { readFileSync } from 'node:fs';
import { isJsonObject } from '#kit/std';
import { parseDocuments, readDocuments } from '../../../apply/read-documents.ts';
import { UsageError } from '../../../command.ts';

/** Reads the documents to deliver from files and folders, or throws one error that lists every problem. */
export function readManifests(names: readonly string[]): readonly object[] {
  const raw = readDocuments(names, '--file');
  const faults = raw.flatMap((each) => {
    if ('fault' in each) return [`${each.where}: ${each.fault}`];
    return isJsonObject(each.content) ? [] : [`${each.where}: a document must be a map`];
  });
  if (faults.length > 0) throw new UsageError(['nothing was sent:', ...faults.map((fault) => `  ${fault}`)].join('\n'));
  return raw.flatMap((each) => ('content' in each && isJsonObject(each.content) ? [each.content] : []));
}

export function readText(flag: string, file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (cause) {
    throw new UsageError(`${flag} ${file}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}

/** A map of values, from a YAML or JSON file. */
export function readValues(file: string): unknown {
  const [first, ...more] = parseDocuments(file, readText('--values', file));
  if (first !== undefined && 'fault' in first) throw new UsageError(`--values ${first.where}: ${first.fault}`);
  const content = first === undefined ? {} : first.content;
  if (more.length > 0 || !isJsonObject(content))
    throw new UsageError(`--values ${file}: must contain one map of values`);
  return content;
}
