import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { UsageError } from '../command.ts';
import type { RawDocument } from './document.ts';

const DOCUMENT_FILE = /\.(ya?ml|json)$/;
const STANDARD_INPUT = 0;

/** From files, the files of folders, and `-` for standard input. */
export function readDocuments(names: readonly string[], flag = '--filename'): RawDocument[] {
  const files = names.flatMap((name) => filesOf(name, flag));
  return files.flatMap((file) => parseDocuments(file === '-' ? 'standard input' : file, textOf(file, flag)));
}

/** JSON is YAML as well. An empty document, as behind a last `---`, is none. */
export function parseDocuments(file: string, text: string): RawDocument[] {
  const parsed = parseAllDocuments(text);
  if (!Array.isArray(parsed)) return [];
  return parsed.flatMap((document, index): RawDocument[] => {
    const where = parsed.length === 1 ? file : `${file}, document ${index + 1}`;
    const [error] = document.errors;
    if (error !== undefined) return [{ where, fault: error.message.split('\n')[0]?.replace(/:$/, '') ?? '' }];
    const read = contentOf(document);
    return 'content' in read && read.content === null ? [] : [{ where, ...read }];
  });
}

function contentOf(document: { toJS(): unknown }): { content: unknown } | { fault: string } {
  try {
    return { content: document.toJS() };
  } catch (error) {
    // Too many aliases, or one of something that is not there.
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

function filesOf(name: string, flag: string): string[] {
  if (name === '-') return [name];
  const title = `${flag} ${name}`;
  if (!onDisk(title, () => statSync(name)).isDirectory()) return [name];
  const files = onDisk(title, () => readdirSync(name)).filter((file) => DOCUMENT_FILE.test(file));
  if (files.length === 0) throw new UsageError(`${title}: there is no .yaml, .yml or .json file in it`);
  return files.sort((a, b) => (a < b ? -1 : 1)).map((file) => join(name, file));
}

function textOf(file: string, flag: string): string {
  return onDisk(`${flag} ${file}`, () => readFileSync(file === '-' ? STANDARD_INPUT : file, 'utf8'));
}

function onDisk<T>(title: string, action: () => T): T {
  try {
    return action();
  } catch (cause) {
    throw new UsageError(`${title}: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
