import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CORE, isKubeError, type KubeClient, type KubeObject } from '#kit/kube';
import { backoffDelay, type Sleep } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { IdentityStore } from '../fleetlet/identity/identity-store.ts';
import { replaceFile } from '../platform/durable-file.ts';
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

interface SecretObject extends KubeObject {
  readonly data?: Readonly<Record<string, string>>;
}

const KEY = 'key.pem';
/** Replaced at each renewal, the certificate last. */
const RENEWED = ['platform.json', 'certificate.pem'];
const LOOK_MS = 1_000;
const PACE = { baseMs: 1_000, capMs: 30_000 };

/**
 * Who a fleetlet is, kept in a Secret of its cluster, since the folder of a Pod goes with the Pod.
 *
 * DECISION: the key is in the Secret before anybody enrols with it. A platform takes the same token and key within ten
 * minutes for one enrolment, so that a Pod which ends at any moment costs no second use of the token, and two that start at
 * the same time are one fleetlet. (ADR-0035)
 */
export class IdentitySecret {
  readonly #deps: IdentitySecretDeps;
  readonly #ref: { readonly resource: typeof CORE.secrets; readonly namespace: string; readonly name: string };
  #kept: string | undefined;

  constructor(deps: IdentitySecretDeps) {
    this.#deps = deps;
    this.#ref = { resource: CORE.secrets, namespace: deps.namespace, name: deps.name };
  }

  /** Before the fleetlet looks into its folder: puts there what the Secret has, or a new key into both. */
  async restore(signal: AbortSignal): Promise<void> {
    mkdirSync(this.#deps.folder, { recursive: true, mode: 0o700 });
    const data = (await this.#read(signal)) ?? (await this.#begin(signal));
    for (const name of [KEY, ...RENEWED]) {
      const content = data[name];
      if (content !== undefined) replaceFile(join(this.#deps.folder, name), decoded(content), 0o600);
    }
    this.#kept = this.#present();
  }

  /** Brings what is enrolled and renewed into the Secret, soon after. */
  async run(signal: AbortSignal): Promise<void> {
    const { log, sleep } = this.#deps;
    for (let failures = 0; !signal.aborted; ) {
      try {
        await this.#keep(signal);
        failures = 0;
      } catch (err) {
        if (signal.aborted) return;
        failures += 1;
        log.warn({ err, name: this.#deps.name }, 'the identity was not kept in its Secret; will try again');
      }
      const wait = failures === 0 ? LOOK_MS : backoffDelay(PACE, failures, Math.random);
      await sleep(wait, signal).catch(() => undefined);
    }
  }

  async #keep(signal: AbortSignal): Promise<void> {
    const present = this.#present();
    if (present === undefined || present === this.#kept) return;
    const data = Object.fromEntries(RENEWED.map((name) => [name, encoded(this.#content(name) ?? '')]));
    await this.#deps.client.patch(this.#ref, { type: 'merge', patch: { data } }, {}, signal);
    this.#kept = present;
  }

  /** The key of this folder, unless another Pod was first: then that one's. */
  async #begin(signal: AbortSignal): Promise<Readonly<Record<string, string>>> {
    const { client, folder, name } = this.#deps;
    const key = new IdentityStore(folder).keyPem;
    const secret = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, labels: LABELS },
      data: { [KEY]: encoded(key) },
    };
    try {
      await client.create(this.#ref, secret, {}, signal);
      return secret.data;
    } catch (error) {
      if (!isKubeError(error, 'ALREADY_EXISTS')) throw error;
      return (await this.#read(signal)) ?? secret.data;
    }
  }

  async #read(signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined> {
    try {
      const { data } = await this.#deps.client.get<SecretObject>(this.#ref, signal);
      // Made by hand, it has to have a key at least.
      return data?.[KEY] === undefined ? undefined : data;
    } catch (error) {
      if (isKubeError(error, 'NOT_FOUND')) return undefined;
      throw error;
    }
  }

  #present(): string | undefined {
    return this.#content('certificate.pem');
  }

  #content(name: string): string | undefined {
    const file = join(this.#deps.folder, name);
    return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
  }
}

function encoded(text: string): string {
  return Buffer.from(text).toString('base64');
}

function decoded(text: string): string {
  return Buffer.from(text, 'base64').toString();
}
