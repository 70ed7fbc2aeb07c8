import { createPrivateKey, X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE, isKubeError, type KubeClient, type KubeObject } from '#kit/kube';
import { backoffDelay, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import type { IdentityKeeper } from '#runtime/fleetlet/identity/enrolment';
import {
  IDENTITY_FILES,
  type Identity,
  IdentityStore,
  type KeyPair,
  type PlatformFacts,
} from '#runtime/fleetlet/identity/identity-store';
import { replaceFile } from '#runtime/process/durable-file';
import { LABELS } from './agent-install.ts';

export interface IdentitySecretDeps {
  readonly client: Pick<KubeClient, 'get' | 'create' | 'patch'>;
  readonly namespace: string;
  readonly name: string;
  /** The data folder of the fleetlet. */
  readonly folder: string;
  readonly sleep: Sleep;
  readonly log: Logger;
}

type SecretData = Readonly<Record<string, string>>;

interface SecretObject extends KubeObject {
  readonly data?: SecretData;
}

const { key: KEY, platform: PLATFORM, certificate: CERTIFICATE } = IDENTITY_FILES;
/** Attempts, for Pods that write at the same time. */
const TRIES = 5;
const LOOK_MS = 1_000;
const PACE = { baseMs: 1_000, capMs: 30_000 };

/**
 * Stores the identity of a fleetlet in a Secret of its cluster, because the data folder of a Pod is lost with the Pod.
 *
 * DECISION: the key is in the Secret before it is used to enrol. Within ten minutes the platform counts the same token
 * and key as one enrolment. So a Pod that ends at any moment costs no second use of the token, and two Pods that start
 * at the same time are one fleetlet. (ADR-0035)
 *
 * A renewal brings a new key. It is in the Secret, together with its certificate, before it is used: from then on the
 * platform refuses the previous one, and the next Pod has nothing else. If several Pods renew, the first one's pair is
 * valid for all.
 */
export class IdentitySecret implements IdentityKeeper {
  readonly #deps: IdentitySecretDeps;
  readonly #ref: { readonly resource: typeof CORE.secrets; readonly namespace: string; readonly name: string };
  /** PEM of the certificate in the Secret. */
  #kept: string | undefined;

  constructor(deps: IdentitySecretDeps) {
    this.#deps = deps;
    this.#ref = { resource: CORE.secrets, namespace: deps.namespace, name: deps.name };
  }

  /**
   * Called before the fleetlet reads its folder: writes the contents of the Secret there, or stores a new key in both.
   */
  async restore(signal: AbortSignal): Promise<void> {
    mkdirSync(this.#deps.folder, { recursive: true, mode: 0o700 });
    const data = (await this.#read(signal))?.data ?? (await this.#begin(signal));
    const [key, platform, certificate] = [data[KEY], data[PLATFORM], data[CERTIFICATE]];
    // Same order as in a renewal: if it is interrupted, either the old pair or this one is complete.
    this.#place(certificate === undefined ? KEY : IDENTITY_FILES.nextKey, key);
    this.#place(PLATFORM, platform);
    this.#place(CERTIFICATE, certificate);
    this.#kept = certificate && decoded(certificate);
  }

  async newerThan({ certificate }: Identity, signal: AbortSignal): Promise<KeyPair | undefined> {
    const pair = pairIn((await this.#read(signal))?.data);
    return pair && beginOf(pair) > certificate.validFromDate.getTime() ? pair : undefined;
  }

  async keep(pair: KeyPair, signal: AbortSignal): Promise<KeyPair> {
    for (let tries = 1; ; tries += 1) {
      const found = await this.#read(signal);
      if (found === undefined) {
        this.#deps.log.warn({ name: this.#deps.name }, 'identity Secret is gone; a new Pod will have to enrol');
        return pair;
      }
      const theirs = pairIn(found.data);
      if (theirs && theirs.pem !== pair.pem && beginOf(theirs) >= beginOf(pair)) return theirs;
      try {
        const patch = { metadata: { resourceVersion: found.version }, data: dataOf(pair) };
        await this.#deps.client.patch(this.#ref, { type: 'merge', patch }, {}, signal);
        this.#kept = pair.pem;
        return pair;
      } catch (error) {
        if (!isKubeError(error, 'CONFLICT') || tries >= TRIES) throw error;
      }
    }
  }

  /** Stores a new identity in the Secret soon after enrolment. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, sleep } = this.#deps;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#keepEnrolled(signal);
        failures = 0;
      } catch (err) {
        if (signal.aborted) return;
        failures += 1;
        log.warn({ err, name: this.#deps.name }, 'identity not saved in its Secret; retrying');
      }
      const wait = failures === 0 ? LOOK_MS : backoffDelay(PACE, failures, Math.random);
      await sleep(wait, signal).catch(() => undefined);
    }
  }

  async #keepEnrolled(signal: AbortSignal): Promise<void> {
    const file = join(this.#deps.folder, CERTIFICATE);
    if (!existsSync(file) || readFileSync(file, 'utf8') === this.#kept) return;
    const { identity } = new IdentityStore(this.#deps.folder);
    if (identity === undefined) return;
    await this.keep(identity, signal);
    this.#kept = identity.pem;
  }

  /** Stores the key of this folder, unless another Pod was first; then that one is used. */
  async #begin(signal: AbortSignal): Promise<SecretData> {
    const data = { [KEY]: encoded(new IdentityStore(this.#deps.folder).keyPem) };
    for (let tries = 1; ; tries += 1) {
      const found = await this.#find(signal);
      if (found?.data?.[KEY] !== undefined) return found.data;
      try {
        await this.#fill(found, data, signal);
        return data;
      } catch (error) {
        if (!isKubeError(error, 'ALREADY_EXISTS', 'CONFLICT', 'NOT_FOUND') || tries >= TRIES) throw error;
      }
    }
  }

  /** The chart brings the Secret, without contents, so that its uninstall deletes it. */
  async #fill(empty: SecretObject | undefined, data: SecretData, signal: AbortSignal): Promise<void> {
    const { client, name } = this.#deps;
    if (empty === undefined) {
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, labels: LABELS }, data };
      await client.create(this.#ref, secret, {}, signal);
      return;
    }
    const patch = { metadata: { resourceVersion: empty.metadata.resourceVersion }, data };
    await client.patch(this.#ref, { type: 'merge', patch }, {}, signal);
  }

  async #read(signal: AbortSignal): Promise<{ readonly data: SecretData; readonly version: string } | undefined> {
    const { data, metadata } = (await this.#find(signal)) ?? {};
    // A Secret that is not the agent's own work may lack a key.
    return data?.[KEY] === undefined ? undefined : { data, version: metadata?.resourceVersion ?? '' };
  }

  async #find(signal: AbortSignal): Promise<SecretObject | undefined> {
    try {
      return await this.#deps.client.get<SecretObject>(this.#ref, signal);
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND')) return undefined;
      throw error;
    }
  }

  #place(name: string, content: string | undefined): void {
    if (content !== undefined) replaceFile(join(this.#deps.folder, name), decoded(content), 0o600);
  }
}

/** `undefined` if there is no pair yet, or if it is invalid; then it is overwritten. */
function pairIn(data: SecretData = {}): KeyPair | undefined {
  const [key, platform, certificate] = [data[KEY], data[PLATFORM], data[CERTIFICATE]].map((each) =>
    decoded(each ?? ''),
  );
  try {
    const pair = {
      key: createPrivateKey(key ?? ''),
      pem: certificate ?? '',
      platform: JSON.parse(platform ?? '') as PlatformFacts,
    };
    return new X509Certificate(pair.pem).checkPrivateKey(pair.key) ? pair : undefined;
  } catch {
    return undefined;
  }
}

function dataOf({ key, pem, platform }: KeyPair): SecretData {
  return {
    [KEY]: encoded(key.export({ type: 'pkcs8', format: 'pem' }).toString()),
    [PLATFORM]: encoded(JSON.stringify(platform)),
    [CERTIFICATE]: encoded(pem),
  };
}

function beginOf({ pem }: KeyPair): number {
  return new X509Certificate(pem).validFromDate.getTime();
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
