import type { Json } from '#kit/std';
import { marked } from '../manifest/secret-mark.ts';
import { referencesIn } from '../manifest/secret-references.ts';
import { type Fingerprint, joinSecrets, maskSecrets, splitSecrets } from '../manifest/split-secrets.ts';
import type { DeploymentSpec } from './deployment.ts';
import { DeploymentError } from './deployment-error.ts';

/** Splits a spec as it was sent into its stored form and the secrets to be sealed beside it. */
export function sealSpec(
  spec: DeploymentSpec,
  fingerprint: Fingerprint,
): { readonly spec: DeploymentSpec; readonly secrets: Readonly<Record<string, Json>> } {
  const { open, secrets } = splitSecrets(asJson(spec), fingerprint);
  return { spec: asSpec(open), secrets };
}

/**
 * Restores a spec as it was sent. Secrets are marked again, so that whatever is generated from them stays secret.
 * `secrets` are those of `specReferences`.
 */
export function unsealSpec(spec: DeploymentSpec, secrets: Readonly<Record<string, Json>>): DeploymentSpec {
  const again = Object.fromEntries(Object.entries(secrets).map(([reference, secret]) => [reference, marked(secret)]));
  const joined = joinSecrets(asJson(spec), again);
  if (joined.kind === 'joined') return asSpec(joined.value);
  throw new DeploymentError(
    'STORED_DEPLOYMENT_INVALID',
    `${joined.references.length} secrets of the spec are no longer stored. Send the manifest and the config again.`,
  );
}

export function specReferences(spec: DeploymentSpec): readonly string[] {
  return referencesIn(asJson(spec));
}

/** As users may see it, secrets masked. */
export function maskSpec(spec: DeploymentSpec): DeploymentSpec {
  return asSpec(maskSecrets(asJson(spec)));
}

/** A spec arrives as JSON and is stored as JSON. */
function asJson(spec: DeploymentSpec): Json {
  return spec as unknown as Json;
}

function asSpec(json: Json): DeploymentSpec {
  return json as unknown as DeploymentSpec;
}
