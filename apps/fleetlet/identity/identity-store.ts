import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createFile, moveFile, replaceFile } from '../../platform/durable-file.ts';
import { FleetletError } from '../fleetlet-error.ts';

/** What the platform said at enrolment, and says again at each renewal. */
export interface PlatformFacts {
  readonly fleetlet: string;
  /** The authority of the platform's own certificate, in PEM, if it is of its own making. */
  readonly serverCa?: string | undefined;
  readonly endpoints: { readonly grpc?: string | undefined; readonly websocket?: string | undefined };
}

export interface Identity {
  readonly key: KeyObject;
  readonly certificate: X509Certificate;
  /** As it was issued. */
  readonly pem: string;
  readonly platform: PlatformFacts;
}

/** A key with the certificate that was issued for it. */
export type KeyPair = Pick<Identity, 'key' | 'pem' | 'platform'>;

export const IDENTITY_FILES = {
  key: 'key.pem',
  /** Of the renewal under way. */
  nextKey: 'key.next.pem',
  platform: 'platform.json',
  certificate: 'certificate.pem',
} as const;

/** Which of the keys that are there a certificate is of. */
export type KeyChoice = 'current' | 'next' | 'none';

/**
 * What a crash may have left, and what counts then. The certificate decides: it is replaced at one moment, and its key was written
 * before. Without one, the key is kept for the enrolment that is to come.
 */
export function chooseKey(fits: (key: 'current' | 'next') => boolean): KeyChoice {
  if (fits('current')) return 'current';
  return fits('next') ? 'next' : 'none';
}

/** Who this fleetlet is, in a folder that its keys never leave. A renewal brings a new key; see the README for each state. */
export class IdentityStore {
  readonly folder: string;
  #key: KeyObject;
  #identity: Identity | undefined;

  constructor(folder: string) {
    this.folder = resolve(folder);
    try {
      makeFolder(this.folder);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      const message = `the data folder ${this.folder} cannot be made (${why}); choose another with --data`;
      throw new FleetletError('DATA_FOLDER_UNUSABLE', message, { cause });
    }
    this.#identity = this.#load();
    this.#key = this.#identity?.key ?? this.#firstKey();
  }

  /** The one that counts now; `undefined` before the fleetlet was enrolled. */
  get identity(): Identity | undefined {
    return this.#identity;
  }

  /** Of the certificate, or to enrol with. */
  get key(): KeyObject {
    return this.#key;
  }

  get keyPem(): string {
    return pemOf(this.#key);
  }

  /** For the next certificate. On disk when it returns; what is there counts until that certificate is saved. */
  nextKey(): KeyObject {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#stage(privateKey);
    return privateKey;
  }

  /** Whatever throws, and whenever the process ends, there is a pair on disk that works: this one or the one before. */
  save({ key, pem, platform }: KeyPair): Identity {
    const certificate = this.#understood('the certificate that was issued', () => new X509Certificate(pem));
    if (!certificate.checkPrivateKey(key)) {
      throw new FleetletError('IDENTITY_UNUSABLE', 'the platform issued a certificate for another key than ours');
    }
    if (!key.equals(this.#key)) this.#stage(key);
    replaceFile(this.#file('platform'), `${JSON.stringify(platform, undefined, 2)}\n`, 0o600);
    // From this moment on the new pair counts.
    replaceFile(this.#file('certificate'), pem, 0o600);
    this.#settle();
    this.#key = key;
    this.#identity = { key, certificate, pem, platform };
    return this.#identity;
  }

  /** The key of a renewal that was cut off is written over; not one that a certificate is there for. */
  #stage(key: KeyObject): void {
    this.#settle();
    const [file, pem] = [this.#file('nextKey'), pemOf(key)];
    if (!existsSync(file) || readFileSync(file, 'utf8') !== pem) replaceFile(file, pem, 0o600);
  }

  /** The key that the certificate is of is `key.pem`, if it was not so before. */
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
      const message = `${file} is not of the key in key.pem; restore the one that is, or remove it and enrol again`;
      throw new FleetletError('IDENTITY_UNUSABLE', message);
    }
    const facts = this.#file('platform');
    const platform = this.#understood(facts, () => JSON.parse(readFileSync(facts, 'utf8')) as PlatformFacts);
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
      const message = `${file} can be read by others of this machine; let it be its owner's alone (chmod 600), and enrol again if somebody has seen it`;
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

/** `recursive` of Node never returns where a folder exists and refuses to hold another with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
