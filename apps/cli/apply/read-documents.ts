import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { readYaml, yamlValue } from '#kit/yaml';
import { UsageError } from '../command.ts';
import type { RawDocument } from './document.ts';

const DOCUMENT_FILE = /\.(ya?ml|json)$/;
const STANDARD_INPUT = 0;
/** Generous limits: the files are the caller's own, and only this command waits for a slow parse. */
const OF_FILES = { tokens: 10_000_000, references: 10_000, expansion: 20_000_000 };

/** Reads files, the files in folders, and `-` for standard input. */
export function readDocuments(names: readonly string[], flag = '--filename'): RawDocument[] {
  const files = names.flatMap((name) => filesOf(name, flag));
  return files.flatMap((file) => parseDocuments(file === '-' ? 'standard input' : file, textOf(file, flag)));
}

/** JSON is valid YAML. Empty documents, such as one after a trailing `---`, are skipped. */
export function parseDocuments(file: string, text: string): RawDocument[] {
  const { documents, lines } = readYaml(text, { limits: OF_FILES });
  return documents.flatMap((document, index): RawDocument[] => {
    const where = documents.length === 1 ? file : `${file}, document ${index + 1}`;
    const [error] = document.errors;
    if (error !== undefined) {
      const { line, col } = lines.linePos(error.pos[0]);
      return [{ where, fault: `${error.message} at line ${line}, column ${col}` }];
    }
    const content = yamlValue(document);
    return content === null ? [] : [{ where, content }];
  });
}

function filesOf(name: string, flag: string): string[] {
  if (name === '-') return [name];
  const title = `${flag} ${name}`;
  if (!onDisk(title, () => statSync(name)).isDirectory()) return [name];
  const files = onDisk(title, () => readdirSync(name)).filter((file) => DOCUMENT_FILE.test(file));
  if (files.length === 0) throw new UsageError(`${title}: contains no .yaml, .yml or .json file`);
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
