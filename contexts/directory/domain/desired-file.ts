import type { Document } from '#protocol/delivery';
import { checkPath, folded } from './safe-path.ts';

export interface DesiredFile {
  readonly path: string;
  readonly content: Uint8Array;
  /** Permission bits. */
  readonly mode: number;
  /** An existing file without an owner may be taken over. */
  readonly adopts: boolean;
  /** Its document contains a secret. */
  readonly isSecret: boolean;
  /** Its folder contains only such files, and is for the owner alone if the agent creates it. */
  readonly hasSecretFolder?: boolean;
}

/** Decides whether a deployment is healthy, beyond its files being as delivered. */
export interface HealthCheck {
  readonly command: readonly string[];
  readonly intervalMs: number;
  readonly timeoutMs: number;
  /** The command's output is not reported. */
  readonly isSecret?: boolean;
}

export type Desired =
  | { readonly kind: 'desired'; readonly files: readonly DesiredFile[]; readonly check: HealthCheck | undefined }
  | { readonly kind: 'fault'; readonly message: string };

export interface DesiredOptions {
  readonly namespace: string | undefined;
  readonly allowsCommands: boolean;
  /** Renders a document that is not a File to the text of one. */
  readonly render: (document: Document) => string;
  /** JSON pointers into the documents. */
  readonly secretPlaces?: readonly string[] | undefined;
}

const API_VERSION = 'directory.fleetshift.io/v1';
const FILE_FIELDS = ['apiVersion', 'kind', 'path', 'content', 'contentBase64', 'mode', 'onConflict', 'metadata'];
const CHECK_FIELDS = ['apiVersion', 'kind', 'command', 'intervalSeconds', 'timeoutSeconds', 'metadata'];
const USUAL_MODE = '0644';
const SECRET_MODE = '0600';
const MAX_CONTENT = 32 * 1024 * 1024;

/** The files described by the documents. Reports the first fault, with its document. */
export function desiredFiles(documents: readonly Document[], options: DesiredOptions): Desired {
  const files: DesiredFile[] = [];
  let check: HealthCheck | undefined;
  const marked = new Set((options.secretPlaces ?? []).map((place) => place.split('/', 2)[1]));
  for (const [index, document] of documents.entries()) {
    const isSecret = marked.has(String(index)) || isKubernetesSecret(document);
    const made = madeOf(document, isSecret, options);
    if (typeof made === 'string') return { kind: 'fault', message: `Document ${index + 1}: ${made}.` };
    if ('command' in made) {
      if (check !== undefined)
        return { kind: 'fault', message: `Document ${index + 1}: there is a HealthCheck already.` };
      check = made;
    } else files.push(made);
  }
  const clash = clashOf(files);
  return clash === undefined ? { kind: 'desired', files, check } : { kind: 'fault', message: clash };
}

function madeOf(document: Document, isSecret: boolean, options: DesiredOptions): DesiredFile | HealthCheck | string {
  if (document['apiVersion'] !== API_VERSION) return renderedFile(document, isSecret, options);
  if (document['kind'] === 'File') return file(document, isSecret);
  if (document['kind'] === 'HealthCheck') return healthCheck(document, isSecret, options);
  return `kind is ${JSON.stringify(document['kind'])}; ${API_VERSION} has File and HealthCheck`;
}

function file(document: Document, isSecret: boolean): DesiredFile | string {
  const unknown = unknownField(document, FILE_FIELDS);
  if (unknown !== undefined) return unknown;
  const { path, mode = isSecret ? SECRET_MODE : USUAL_MODE, onConflict = 'fail' } = document;
  if (typeof path !== 'string') return 'path is missing';
  const checked = checkPath(path);
  if (checked.kind === 'fault') return checked.message;
  const content = contentOf(document);
  if (typeof content === 'string') return content;
  if (typeof mode !== 'string' || !/^0?[0-7]{3}$/.test(mode)) return 'mode is not three octal digits such as "0644"';
  if (onConflict !== 'fail' && onConflict !== 'adopt') return 'onConflict must be fail or adopt';
  return { path, content, mode: Number.parseInt(mode, 8), adopts: onConflict === 'adopt', isSecret };
}

function contentOf({ content, contentBase64 }: Document): Uint8Array | string {
  if ((content === undefined) === (contentBase64 === undefined)) return 'give either content or contentBase64';
  if (content !== undefined) {
    return typeof content === 'string' ? bounded(new TextEncoder().encode(content)) : 'content must be a string';
  }
  if (typeof contentBase64 !== 'string') return 'contentBase64 must be a string';
  try {
    return bounded(Uint8Array.fromBase64(contentBase64));
  } catch {
    return 'contentBase64 is not base64';
  }
}

function bounded(content: Uint8Array): Uint8Array | string {
  return content.length > MAX_CONTENT ? `the content has more than ${MAX_CONTENT} bytes` : content;
}

/** `shop/configmap/web.yaml`. */
function renderedFile(document: Document, isSecret: boolean, options: DesiredOptions): DesiredFile | string {
  const { namespace, render } = options;
  const { apiVersion, kind, metadata } = document;
  const its = typeof metadata === 'object' && metadata !== null ? (metadata as Document) : {};
  const name = its['name'];
  if (typeof apiVersion !== 'string' || typeof kind !== 'string' || typeof name !== 'string') {
    return `the document is neither a File of ${API_VERSION} nor an object with apiVersion, kind and metadata.name`;
  }
  const place = its['namespace'] ?? namespace ?? '_';
  if (typeof place !== 'string') return 'metadata.namespace must be a string';
  if ([place, kind, name].some((part) => part.includes('/'))) return 'its namespace, kind or name has a slash';
  const checked = checkPath(`${place}/${kind.toLowerCase()}/${name}.yaml`);
  if (checked.kind === 'fault') return checked.message;
  const content = new TextEncoder().encode(render(document));
  const mode = Number.parseInt(isSecret ? SECRET_MODE : USUAL_MODE, 8);
  const hasSecretFolder = isKubernetesSecret(document);
  return { path: checked.path, content, mode, adopts: false, isSecret, hasSecretFolder };
}

function isKubernetesSecret({ apiVersion, kind }: Document): boolean {
  return apiVersion === 'v1' && kind === 'Secret';
}

function healthCheck(document: Document, isSecret: boolean, options: DesiredOptions): HealthCheck | string {
  const { allowsCommands } = options;
  const unknown = unknownField(document, CHECK_FIELDS);
  if (unknown !== undefined) return unknown;
  if (!allowsCommands) return 'a HealthCheck runs a command, which requires --allow-commands on the agent';
  const { command, intervalSeconds = 30, timeoutSeconds = 10 } = document;
  if (!Array.isArray(command) || command.length === 0 || !command.every((part) => typeof part === 'string')) {
    return 'command must be a list of a program and its arguments';
  }
  const [intervalMs, timeoutMs] = [milliseconds(intervalSeconds), milliseconds(timeoutSeconds)];
  if (intervalMs === undefined) return 'intervalSeconds must be a number from 1 to 3600';
  if (timeoutMs === undefined) return 'timeoutSeconds must be a number from 1 to 3600';
  return { command, intervalMs, timeoutMs, ...(isSecret && { isSecret }) };
}

function milliseconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' && seconds >= 1 && seconds <= 3_600 ? seconds * 1_000 : undefined;
}

function unknownField(document: Document, known: readonly string[]): string | undefined {
  const unknown = Object.keys(document).find((field) => !known.includes(field));
  return unknown && `unknown field ${unknown}; the fields are ${known.slice(2, -1).join(', ')}`;
}

/** Two paths that are the same file, at least on some systems; or a file where another path needs a folder. */
function clashOf(files: readonly DesiredFile[]): string | undefined {
  const seen = new Map<string, string>();
  for (const { path } of files) {
    const other = seen.get(folded(path));
    if (other !== undefined) {
      return other === path
        ? `Two documents describe the file ${path}.`
        : `The files ${other} and ${path} are the same on a case-insensitive file system.`;
    }
    seen.set(folded(path), path);
  }
  for (const { path } of files) {
    for (const parent of parentsOf(path)) {
      const other = seen.get(folded(parent));
      if (other !== undefined) return `The file ${other} cannot be the folder of ${path}.`;
    }
  }
  return undefined;
}

/** `a/b/c.txt`: `a`, `a/b`. */
export function parentsOf(path: string): string[] {
  const parts = path.split('/');
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'));
}
