import { type Clock, Secret, unlessAborted } from '#kit/std';
import { KubeError } from '../kube-error.ts';
import type { Credentials, Identity } from './credentials.ts';
import type { ExecPlugin } from './kube-config.ts';
import { runPlugin } from './run-plugin.ts';

interface Held {
  readonly identity: Identity;
  readonly until: number;
}

/** Credentials from a plugin, cached until they expire or are refused. Concurrent callers share one run. */
export class ExecCredentials implements Credentials {
  readonly #plugin: ExecPlugin;
  readonly #clock: Clock;
  #held: Held | undefined;
  #running: Promise<Held> | undefined;

  constructor(plugin: ExecPlugin, clock: Clock) {
    this.#plugin = plugin;
    this.#clock = clock;
  }

  async current(signal: AbortSignal): Promise<Identity> {
    signal.throwIfAborted();
    if (this.#held && this.#clock.now() < this.#held.until) return this.#held.identity;
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined;
    });
    return (await unlessAborted(this.#running, signal)).identity;
  }

  refused(identity: Identity): void {
    if (identity === this.#held?.identity) this.#held = undefined;
  }

  async #run(): Promise<Held> {
    const output = await runPlugin(this.#plugin);
    this.#held = parseCredential(output, this.#plugin);
    return this.#held;
  }
}

function parseCredential(output: string, { apiVersion, command }: ExecPlugin): Held {
  const refuse = (why: string, cause?: unknown): KubeError =>
    new KubeError('CREDENTIALS_UNAVAILABLE', `read the credentials that ${command} printed: ${why}`, { cause });
  let printed: unknown;
  try {
    printed = JSON.parse(output);
  } catch {
    // The parser quotes the text, which may be a token.
    throw refuse('they are not JSON');
  }
  const credential = printed as { kind?: unknown; apiVersion?: unknown; status?: Record<string, unknown> } | null;
  if (credential?.kind !== 'ExecCredential') throw refuse('they are not an ExecCredential');
  if (credential.apiVersion !== apiVersion)
    throw refuse(`they are of ${String(credential.apiVersion)}, not ${apiVersion}`);
  const { token, clientCertificateData: cert, clientKeyData: key, expirationTimestamp } = credential.status ?? {};
  if (typeof token !== 'string' && typeof cert !== 'string')
    throw refuse('they hold neither a token nor a certificate');
  if ((typeof cert === 'string') !== (typeof key === 'string')) throw refuse('certificate and key come together');
  const until = typeof expirationTimestamp === 'string' ? Date.parse(expirationTimestamp) : Number.POSITIVE_INFINITY;
  if (Number.isNaN(until)) throw refuse('their expirationTimestamp is not a valid time');
  return {
    until,
    identity: {
      ...(typeof token === 'string' && { token: new Secret(token) }),
      ...(typeof cert === 'string' && typeof key === 'string' && { certificate: { cert, key: new Secret(key) } }),
    },
  };
}
