import { type Clock, Secret } from '#kit/std';
import type { Credentials, Identity } from './credentials.ts';
import { ExecCredentials } from './exec-credentials.ts';
import type { IdentityConfig } from './kube-config.ts';
import { MaterialReader } from './material-reader.ts';

/** Like kubectl, prefers a token and a certificate named in the kubeconfig over those of its plugin. */
export function createCredentials(config: IdentityConfig, clock: Clock): Credentials {
  const named = new NamedCredentials(config, clock);
  if (!config.exec) return named;
  const exec = new ExecCredentials(config.exec, clock);
  let last: { readonly parts: readonly [Identity, Identity]; readonly identity: Identity } | undefined;
  return {
    current: async (signal) => {
      const parts = [await exec.current(signal), await named.current(signal)] as const;
      if (last && parts.every((part, index) => part === last?.parts[index])) return last.identity;
      last = { parts, identity: { ...parts[0], ...parts[1] } };
      return last.identity;
    },
    refused: (identity) => {
      if (identity !== last?.identity) return;
      for (const [index, part] of last.parts.entries()) [exec, named][index]?.refused(part);
    },
  };
}

/** A token, a certificate, both or none, from the kubeconfig or from files. */
class NamedCredentials implements Credentials {
  readonly #token: MaterialReader | undefined;
  readonly #cert: MaterialReader | undefined;
  readonly #key: MaterialReader | undefined;
  #seen: { readonly texts: readonly (string | undefined)[]; readonly identity: Identity } | undefined;

  constructor({ token, certificate }: IdentityConfig, clock: Clock) {
    this.#token = token && new MaterialReader(token, clock);
    this.#cert = certificate && new MaterialReader(certificate.cert, clock);
    this.#key = certificate && new MaterialReader(certificate.key, clock);
  }

  async current(signal: AbortSignal): Promise<Identity> {
    const token = await this.#token?.text(signal);
    const cert = await this.#cert?.text(signal);
    const key = await this.#key?.text(signal);
    const texts = [token, cert, key];
    if (this.#seen && texts.every((text, index) => text === this.#seen?.texts[index])) return this.#seen.identity;
    const identity: Identity = {
      ...(token !== undefined && { token: new Secret(token.trim()) }),
      ...(cert !== undefined && key !== undefined && { certificate: { cert, key: new Secret(key) } }),
    };
    this.#seen = { texts, identity };
    return identity;
  }

  refused(identity: Identity): void {
    if (identity !== this.#seen?.identity) return;
    for (const reader of [this.#token, this.#cert, this.#key]) reader?.forget();
  }
}
