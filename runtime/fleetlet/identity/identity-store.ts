import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createFile, moveFile, replaceFile } from '#runtime/process/durable-file';
import { FleetletError } from '../fleetlet-error.ts';
import { type Endpoints, type OnUnusable, type PlatformEndpoints, usableEndpoints } from './endpoints.ts';

/** Facts from the platform, sent at enrolment and at each renewal. */
export interface PlatformFacts {
  readonly fleetlet: string;
  /** The CA of the platform's own certificate, in PEM, if the platform created it. */
  readonly serverCa?: string | undefined;
  /** From the enrolment, a renewal, or the session, whichever came last. */
  readonly endpoints: PlatformEndpoints;
}

export interface Identity {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
  /** As issued. */
  readonly pem: string;
  readonly platform: PlatformFacts;
}

/** A key with the certificate that was issued for it. */
export type KeyPair = Pick<Identity, 'key' | 'pem' | 'platform'>;

export const IDENTITY_FILES = {
  key: 'key.pem',
  /** Key of a renewal in progress. */
  nextKey: 'key.next.pem',
  platform: 'platform.json',
  certificate: 'certificate.pem',
} as const;

/** Which of the stored keys the certificate belongs to. */
export type KeyChoice = 'current' | 'next' | 'none';

/**
 * Decides which key is valid after a crash. The certificate decides: it is replaced atomically, and its key was written
 * before. Without a certificate the key is kept for the coming enrolment.
 */
export function chooseKey(fits: (key: 'current' | 'next') => boolean): KeyChoice {
  if (fits('current')) return 'current';
  return fits('next') ? 'next' : 'none';
}

/**
 * The identity of this fleetlet, in a folder that its keys never leave. A renewal brings a new key; the README
 * describes each state.
 */
export class IdentityStore {
  readonly folder: string;
  readonly #onUnusable: OnUnusable;
  #key: KeyObject;
  #identity: Identity | undefined;

  /** Endpoints that cannot be used are set aside, wherever they come from. */
  constructor(folder: string, onUnusable: OnUnusable = () => {}) {
    this.folder = resolve(folder);
    this.#onUnusable = onUnusable;
    try {
      makeFolder(this.folder);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `the data folder ${this.folder} cannot be created (${why}); choose another with --data`;
      throw new FleetletError('DATA_FOLDER_UNUSABLE', message, { cause });
    }
    this.#identity = this.#load();
    this.#key = this.#identity?.key ?? this.#firstKey();
  }

  /** The current identity; `undefined` before enrolment. */
  get identity(): Identity | undefined {
    return this.#identity;
  }

  /** Key of the certificate, or for enrolment. */
  get key(): KeyObject {
    return this.#key;
  }

  get keyPem(): string {
    return pemOf(this.#key);
  }

  /**
   * Creates the key for the next certificate. It is on disk when this returns; the current identity stays valid until
   * the new certificate is saved.
   */
  nextKey(): KeyObject {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#stage(privateKey);
    return privateKey;
  }

  /** Whatever fails, and whenever the process ends, there is a working pair on disk: this one or the previous one. */
  save({ key, pem, platform: told }: KeyPair): Identity {
    const platform = { ...told, endpoints: usableEndpoints(told.endpoints, this.#onUnusable) };
    const certificate = this.#understood('the certificate that was issued', () => new X509Certificate(pem));
    if (!certificate.checkPrivateKey(key)) {
      throw new FleetletError('IDENTITY_UNUSABLE', 'the platform issued a certificate for a different key');
    }
    if (!key.equals(this.#key)) this.#stage(key);
    replaceFile(this.#file('platform'), `${JSON.stringify(platform, undefined, 2)}\n`, 0o600);
    // From here on the new pair is valid.
    replaceFile(this.#file('certificate'), pem, 0o600);
    this.#settle();
    this.#key = key;
    this.#identity = { key, certificate, pem, platform };
    return this.#identity;
  }

  /** Keeps the list of replicas for the next start, too. */
  saveReplicas(listed: readonly Endpoints[]): void {
    const identity = this.#identity;
    if (identity === undefined) return;
    const { replicas = [] } = usableEndpoints({ replicas: listed }, this.#onUnusable);
    if (JSON.stringify(identity.platform.endpoints.replicas) === JSON.stringify(replicas)) return;
    const platform = { ...identity.platform, endpoints: { ...identity.platform.endpoints, replicas } };
    // First in memory: a full disk does not keep the fleetlet from replicas that it knows.
    this.#identity = { ...identity, platform };
    replaceFile(this.#file('platform'), `${JSON.stringify(platform, undefined, 2)}\n`, 0o600);
  }

  /** Overwrites the key of an interrupted renewal, but never one that a certificate belongs to. */
  #stage(key: KeyObject): void {
    this.#settle();
    const [file, pem] = [this.#file('nextKey'), pemOf(key)];
    if (!existsSync(file) || readFileSync(file, 'utf8') !== pem) replaceFile(file, pem, 0o600);
  }

  /** Moves the key of the certificate to `key.pem`, if it is not there yet. */
  #settle(): KeyChoice {
    const certificate = this.#certificate();
    if (certificate === undefined) return 'none';
    const choice = chooseKey((name) => {
      const key = this.#readKey(name === 'current' ? 'key' : 'nextKey');
      return key !== undefined && certificate.checkPrivateKey(key);
    });
    if (choice === 'next') moveFile(this.#file('nextKey'), this.#file('key'));
    return choice;
  }

  #load(): Identity | undefined {
    const certificate = this.#certificate();
    if (certificate === undefined) return undefined;
    const choice = this.#settle();
    const key = this.#readKey('key');
    if (choice === 'none' || key === undefined) {
      const file = this.#file('certificate');
      const message = `${file} does not belong to the key in key.pem; restore the one that does, or remove it and enrol again`;
      throw new FleetletError('IDENTITY_UNUSABLE', message);
    }
    const facts = this.#file('platform');
    const told = this.#understood(facts, () => JSON.parse(readFileSync(facts, 'utf8')) as PlatformFacts);
    const platform = { ...told, endpoints: usableEndpoints(told.endpoints, this.#onUnusable) };
    return { key, certificate, pem: readFileSync(this.#file('certificate'), 'utf8'), platform };
  }

  #certificate(): X509Certificate | undefined {
    const file = this.#file('certificate');
    if (!existsSync(file)) return undefined;
    return this.#understood(file, () => new X509Certificate(readFileSync(file, 'utf8')));
  }

  #firstKey(): KeyObject {
    const known = this.#readKey('key');
    if (known !== undefined) return known;
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    createFile(this.#file('key'), pemOf(privateKey), 0o600);
    return this.#readKey('key') ?? privateKey;
  }

  #readKey(name: 'key' | 'nextKey'): KeyObject | undefined {
    const file = this.#file(name);
    if (!existsSync(file)) return undefined;
    if ((statSync(file).mode & 0o077) !== 0) {
      const message = `${file} can be read by other users of this machine; restrict it to its owner (chmod 600), and enrol again if it may have been read`;
      throw new FleetletError('IDENTITY_UNUSABLE', message);
    }
    return this.#understood(file, () => createPrivateKey(readFileSync(file, 'utf8')));
  }

  #understood<T>(what: string, read: () => T): T {
    try {
      return read();
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `${what} cannot be read (${why}); restore it, or remove the files in ${this.folder} and enrol again`;
      throw new FleetletError('IDENTITY_UNUSABLE', message, { cause });
    }
  }

  #file(name: keyof typeof IDENTITY_FILES): string {
    return join(this.folder, IDENTITY_FILES[name]);
  }
}

function pemOf(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString();
}

/** Node's `recursive` never returns if an existing folder refuses a new one with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
