import { readFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { parseYaml } from '#kit/yaml';
import { UsageError } from '../../../../command.ts';

/** The contexts of a kubeconfig in order, and the current one. Finds the file as kubectl does. */
export interface KubeconfigContexts {
  readonly names: readonly string[];
  readonly current: string | undefined;
}

interface KubeconfigDocument {
  readonly contexts?: readonly { readonly name?: unknown }[] | null;
  readonly 'current-context'?: unknown;
}

export function kubeconfigContexts(
  file: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): KubeconfigContexts {
  const files = file === undefined ? usualFiles(environment) : [file];
  const documents = files.flatMap((each) => read(each, file === undefined));
  if (documents.length === 0) throw new UsageError(`no kubeconfig at ${files.join(', ')}; use --kubeconfig`);
  const names = documents.flatMap(({ contexts }) => (contexts ?? []).map(({ name }) => String(name)));
  const currents = documents.map((document) => document['current-context']);
  const current = currents.find((each) => typeof each === 'string' && each !== '');
  return { names: [...new Set(names)], current: typeof current === 'string' ? current : undefined };
}

function usualFiles(environment: Readonly<Record<string, string | undefined>>): string[] {
  const listed = (environment['KUBECONFIG'] ?? '').split(delimiter).filter((each) => each !== '');
  return listed.length > 0 ? listed : [join(environment['HOME'] ?? '/', '.kube', 'config')];
}

function read(file: string, mayBeMissing: boolean): KubeconfigDocument[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if (mayBeMissing && error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
  // The message of the parser would quote the content.
  const document = parsed(text);
  if (document === undefined) throw new UsageError(`${file} is not a kubeconfig`);
  return [document];
}

function parsed(text: string): KubeconfigDocument | undefined {
  try {
    const document: unknown = parseYaml(text);
    return typeof document === 'object' && document !== null ? document : undefined;
  } catch {
    return undefined;
  }
}
