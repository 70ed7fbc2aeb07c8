import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { CORE, type CollectionRef, isKubeError, type KubeClient, type KubeObject, listAll } from '#kit/kube';
import { KubernetesError } from '../domain/kubernetes-error.ts';
import { ensureNamespace } from './ensure-namespace.ts';

export interface ChunkedSecretsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** The kind of record: `order`. */
  readonly what: string;
  /** Maximum size of a chunk; tests set less than what fits into a Secret. */
  readonly maxBytes?: number;
}

/** A record that was found. `content` returns its content, or throws if it is incomplete or corrupt. */
export interface FoundRecord {
  readonly id: string;
  /** The facts stored next to the content. */
  readonly about: string;
  content(): Promise<string>;
}

interface Secret extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

/** Stored in the first chunk; describes the whole record. */
interface Head {
  readonly id: string;
  readonly count: number;
  /** Of all stored bytes. */
  readonly digest: string;
  readonly about: string;
}

interface Written {
  readonly version: string;
  /** All existing chunks beyond the first, including leftovers of an interrupted write. */
  readonly rest: ReadonlySet<string>;
}

/** API servers accept 1 MiB in a Secret; the rest is reserved for metadata and encoding. */
const MAX_CHUNK_BYTES = 900 * 1024;
/** Up to this size compression gains nothing. */
const SMALL_BYTES = 4 * 1024;
/** Of a record when unpacked: a few bytes of gzip may claim to be any number. */
const MAX_RECORD_BYTES = 256 * 1024 * 1024;
const pack = promisify(gzip);
const unpack = promisify(gunzip);

/**
 * Records of any size, stored as Secrets in a namespace of the agent: hashes and contents must be readable only with
 * the right to read Secrets.
 *
 * DECISION: the first chunk has the facts. It is written last and in place, so that this write commits the record: a
 * record that fits into one Secret costs one request, and an interrupted write leaves either the old record or the new
 * one. The write is conditional on the version that was read, so that an agent that has been replaced without knowing
 * it undoes nothing. (ADR-0031)
 */
export class ChunkedSecrets {
  readonly #options: ChunkedSecretsOptions;
  readonly #ref: { readonly resource: typeof CORE.secrets; readonly namespace: string };
  readonly #written = new Map<string, Written>();

  constructor(options: ChunkedSecretsOptions) {
    this.#options = options;
    this.#ref = { resource: CORE.secrets, namespace: options.namespace };
  }

  async all(signal: AbortSignal): Promise<readonly FoundRecord[]> {
    this.#written.clear();
    return await this.#find({ labelSelector: this.#label }, signal);
  }

  /**
   * Records of every namespace, each with its namespace; without the right to read them, those of this namespace. Does
   * not count as a read for later writes. Others may have written them, so nothing in them is trusted.
   */
  async everywhere(signal: AbortSignal): Promise<readonly (FoundRecord & { readonly namespace: string })[]> {
    const { client, namespace: own } = this.#options;
    const options = { labelSelector: this.#label };
    const list = async (ref: CollectionRef): Promise<readonly Secret[]> =>
      (await listAll<Secret>(client, ref, options, signal)).items;
    const secrets = await list({ resource: CORE.secrets }).catch(async (error: unknown) => {
      if (!isKubeError(error, 'FORBIDDEN')) throw error;
      return await list(this.#ref);
    });
    const byNamespace = Map.groupBy(secrets, ({ metadata }) => metadata.namespace ?? own);
    return [...byNamespace].flatMap(([namespace, items]) =>
      this.#byId(items).map(([id, parts]) => ({ ...this.#record(id, parts), namespace })),
    );
  }

  async find(id: string, signal: AbortSignal): Promise<FoundRecord | undefined> {
    const [found] = await this.#find({ labelSelector: `${this.#label}=${id}` }, signal);
    return found;
  }

  async save({ id, about, content }: SavedRecord, signal: AbortSignal): Promise<void> {
    const plain = Buffer.from(content);
    const bytes = plain.length > SMALL_BYTES ? await pack(plain) : plain;
    const digest = createHash('sha256').update(bytes).digest('hex');
    const [first = Buffer.alloc(0), ...others] = split(bytes, this.#options.maxBytes ?? MAX_CHUNK_BYTES);
    const rest = new Map(
      others.map((chunk, index) => [`${this.#nameOf(id)}-${digest.slice(0, 12)}-${index + 1}`, chunk]),
    );
    for (const [name, chunk] of rest) await this.#create(this.#secret({ id, name, payload: chunk }), signal);
    const head: Head = { id, count: others.length + 1, digest, about };
    const before = this.#written.get(id);
    const version = await this.#commit(
      this.#secret({ id, name: this.#nameOf(id), payload: first, head }),
      before,
      signal,
    );
    const all = new Set([...rest.keys(), ...(before?.rest ?? [])]);
    this.#written.set(id, { version, rest: all });
    // The record is committed. Chunks that cannot be deleted now are deleted after the next save.
    await this.#discard(id, new Set(rest.keys()), signal);
  }

  async remove(id: string, signal: AbortSignal): Promise<void> {
    const before = this.#written.get(id);
    if (before === undefined) return;
    try {
      const options = { resourceVersion: before.version };
      await this.#options.client.delete({ ...this.#ref, name: this.#nameOf(id) }, options, signal);
    } catch (error) {
      if (isKubeError(error, 'CONFLICT')) throw changed(this.#options.what, id, error);
      if (!isKubeError(error, 'NOT_FOUND')) throw error;
    }
    await this.#discard(id, new Set(), signal);
    this.#written.delete(id);
  }

  get #label(): string {
    return `fleetshift.io/${this.#options.what}`;
  }

  #nameOf(id: string): string {
    return `fleetshift-${this.#options.what}-${id}`;
  }

  async #find(options: { readonly labelSelector: string }, signal: AbortSignal): Promise<FoundRecord[]> {
    const { items } = await listAll<Secret>(this.#options.client, this.#ref, options, signal);
    return this.#byId(items).map(([id, secrets]) => {
      const names = new Map(secrets.map(({ metadata: { name = '', resourceVersion } }) => [name, resourceVersion]));
      const version = names.get(this.#nameOf(id));
      names.delete(this.#nameOf(id));
      if (version !== undefined) this.#written.set(id, { version, rest: new Set(names.keys()) });
      return this.#record(id, secrets);
    });
  }

  #byId(secrets: readonly Secret[]): [string, Secret[]][] {
    return [...Map.groupBy(secrets, ({ metadata }) => metadata.labels?.[this.#label] ?? '')];
  }

  #record(id: string, secrets: readonly Secret[]): FoundRecord {
    const { what } = this.#options;
    const byName = new Map(secrets.map((secret) => [secret.metadata.name ?? '', secret]));
    const first = byName.get(this.#nameOf(id));
    const head = first && headOf(first);
    const chunks = first === undefined || head === undefined ? [] : [first, ...restOf(first, head, byName)];
    const content = async (): Promise<string> => {
      if (first === undefined || chunks.length < (head?.count ?? 1)) {
        throw new KubernetesError('RECORD_TORN', `read the ${what} of ${id}: parts of it are missing`);
      }
      const bytes = Buffer.concat(chunks.map(({ data = {} }) => Buffer.from(data['payload'] ?? '', 'base64')));
      if (createHash('sha256').update(bytes).digest('hex') !== head?.digest) {
        throw new KubernetesError('RECORD_UNREADABLE', `read the ${what} of ${id}: it is not what was written`);
      }
      return (isPacked(bytes) ? await unpack(bytes, { maxOutputLength: MAX_RECORD_BYTES }) : bytes).toString();
    };
    return { id, about: head?.about ?? '', content };
  }

  async #commit(secret: Secret, before: Written | undefined, signal: AbortSignal): Promise<string> {
    const { client, what } = this.#options;
    const { name = '', labels } = secret.metadata;
    try {
      if (before === undefined) return versionOf(await this.#createIn(secret, signal));
      const metadata = { ...secret.metadata, resourceVersion: before.version };
      return versionOf(await client.replace({ ...this.#ref, name }, { ...secret, metadata }, {}, signal));
    } catch (error) {
      const isOther = isKubeError(error, 'CONFLICT', 'ALREADY_EXISTS') || (before && isKubeError(error, 'NOT_FOUND'));
      if (isOther) throw changed(what, labels?.[this.#label] ?? '', error);
      throw error;
    }
  }

  /** The name contains the digest, so an existing chunk has the same content: it is left from an interrupted write. */
  async #create(secret: Secret, signal: AbortSignal): Promise<void> {
    try {
      await this.#createIn(secret, signal);
    } catch (error) {
      if (!isKubeError(error, 'ALREADY_EXISTS')) throw error;
    }
  }

  /** The namespace may have been deleted since it was created. */
  async #createIn(secret: Secret, signal: AbortSignal): Promise<Secret> {
    const { client, namespace } = this.#options;
    try {
      return await client.create(this.#ref, secret, {}, signal);
    } catch (error) {
      if (!isKubeError(error, 'NOT_FOUND')) throw error;
      await ensureNamespace(client, namespace, signal);
      return await client.create(this.#ref, secret, {}, signal);
    }
  }

  async #discard(id: string, stays: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
    const { version = '', rest = new Set<string>() } = this.#written.get(id) ?? {};
    const left = new Set(rest);
    for (const name of rest) {
      if (stays.has(name)) continue;
      const isGone = await this.#options.client.delete({ ...this.#ref, name }, {}, signal).then(
        () => true,
        (error: unknown) => isKubeError(error, 'NOT_FOUND'),
      );
      if (isGone) left.delete(name);
    }
    this.#written.set(id, { version, rest: left });
  }

  #secret({ id, name, payload, head }: NewSecret): Secret {
    const facts = head === undefined ? {} : { facts: Buffer.from(JSON.stringify(head)).toString('base64') };
    const { namespace } = this.#options;
    const metadata = { name, namespace, labels: { [this.#label]: id } };
    return { apiVersion: 'v1', kind: 'Secret', metadata, data: { ...facts, payload: payload.toString('base64') } };
  }
}

export interface SavedRecord {
  readonly id: string;
  readonly about: string;
  readonly content: string;
}

interface NewSecret {
  readonly id: string;
  readonly name: string;
  readonly payload: Buffer;
  readonly head?: Head;
}

function headOf({ data = {} }: Secret): Head | undefined {
  try {
    return JSON.parse(Buffer.from(data['facts'] ?? '', 'base64').toString()) as Head;
  } catch {
    // Unreadable facts have no digest either, so `content` will throw.
    return undefined;
  }
}

function restOf(first: Secret, { count, digest }: Head, byName: ReadonlyMap<string, Secret>): Secret[] {
  // The count is checked against what is there: it is as large as its writer says.
  return Array.from(
    { length: Math.min(count - 1, byName.size) },
    (_, index) => `${first.metadata.name}-${digest.slice(0, 12)}-${index + 1}`,
  )
    .map((name) => byName.get(name))
    .filter((secret) => secret !== undefined);
}

/** By the gzip magic number. */
function isPacked(bytes: Buffer): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function split(bytes: Buffer, maxBytes: number): Buffer[] {
  const count = Math.ceil(bytes.length / maxBytes);
  return Array.from({ length: count }, (_, index) => bytes.subarray(index * maxBytes, (index + 1) * maxBytes));
}

function versionOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion ?? '';
}

function changed(what: string, id: string, cause: unknown): KubernetesError {
  return new KubernetesError('RECORD_CHANGED', `write the ${what} of ${id}: another agent wrote it`, { cause });
}
