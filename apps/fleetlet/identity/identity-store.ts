import { createPrivateKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { createFile, replaceFile } from '../../platform/durable-file.ts';
import { FleetletError } from '../fleetlet-error.ts';

/** What the platform said at enrolment, and says again at each renewal. */
export interface PlatformFacts {
  readonly fleetlet: string;
  /** The authority of the platform's own certificate, in PEM, if it is of its own making. */
  readonly serverCa?: string | undefined;
  readonly endpoints: { readonly grpc?: string | undefined; readonly websocket?: string | undefined };
}

export interface Identity {
  readonly certificate: X509Certificate;
  /** As it was issued. */
  readonly pem: string;
  readonly platform: PlatformFacts;
}

/** Who this fleetlet is, in a folder: the key is made once and never leaves it; the certificate is replaced as a whole. */
export class IdentityStore {
  readonly folder: string;
  readonly key: KeyObject;
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
    this.key = this.#loadKey();
    this.#identity = this.#load();
  }

  /** The one that counts now; `undefined` before the fleetlet was enrolled. */
  get identity(): Identity | undefined {
    return this.#identity;
  }

  get keyPem(): string {
    return this.key.export({ type: 'pkcs8', format: 'pem' }).toString();
  }

  save(pem: string, platform: PlatformFacts): Identity {
    const certificate = this.#understood('the certificate that was issued', () => new X509Certificate(pem));
    if (!certificate.checkPrivateKey(this.key)) {
      throw new FleetletError('IDENTITY_UNUSABLE', 'the platform issued a certificate for another key than ours');
    }
    // The certificate last: without it the rest is not looked at.
    replaceFile(this.#file('platform.json'), `${JSON.stringify(platform, undefined, 2)}\n`, 0o600);
    replaceFile(this.#file('certificate.pem'), pem, 0o600);
    this.#identity = { certificate, pem, platform };
    return this.#identity;
  }

  #load(): Identity | undefined {
    const file = this.#file('certificate.pem');
    if (!existsSync(file)) return undefined;
    const pem = readFileSync(file, 'utf8');
    const certificate = this.#understood(file, () => new X509Certificate(pem));
    if (!certificate.checkPrivateKey(this.key)) {
      const message = `${file} is not of the key in key.pem; restore the one that is, or remove it and enrol again`;
      throw new FleetletError('IDENTITY_UNUSABLE', message);
    }
    const facts = this.#file('platform.json');
    const platform = this.#understood(facts, () => JSON.parse(readFileSync(facts, 'utf8')) as PlatformFacts);
    return { certificate, pem, platform };
  }

  #loadKey(): KeyObject {
    const file = this.#file('key.pem');
    if (!existsSync(file)) {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
      createFile(file, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), 0o600);
    }
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

  #file(name: string): string {
    return join(this.folder, name);
  }
}

/** `recursive` of Node never returns where a folder exists and refuses to hold another with ENOENT, as /proc does. */
function makeFolder(path: string): void {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return;
  const parent = dirname(path);
  if (!existsSync(parent)) makeFolder(parent);
  mkdirSync(path, { mode: 0o700 });
}
