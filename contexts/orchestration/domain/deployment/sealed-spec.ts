import type { Json, JsonObject } from '#kit/std';
import { marked } from '../manifest/secret-mark.ts';
import { referencesIn } from '../manifest/secret-references.ts';
import { type Fingerprint, joinSecrets, maskSecrets, splitSecrets } from '../manifest/split-secrets.ts';
import type { DeploymentSpec } from './deployment.ts';
import { DeploymentError } from './deployment-error.ts';

/** A spec arrives as JSON and is stored as JSON. */
type SpecJson = DeploymentSpec & JsonObject;

/** Splits a spec as it was sent into its stored form and the secrets to be sealed beside it. */
export function sealSpec(
  spec: DeploymentSpec,
  fingerprint: Fingerprint,
): { readonly spec: DeploymentSpec; readonly secrets: Readonly<Record<string, Json>> } {
  const { open, secrets } = splitSecrets(spec as SpecJson, fingerprint);
  return { spec: open, secrets };
}

/**
 * Restores a spec as it was sent. Secrets are marked again, so that whatever is generated from them stays secret.
 * `secrets` are those of `specReferences`.
 */
export function unsealSpec(spec: DeploymentSpec, secrets: Readonly<Record<string, Json>>): DeploymentSpec {
  const again = Object.fromEntries(Object.entries(secrets).map(([reference, secret]) => [reference, marked(secret)]));
  const joined = joinSecrets(spec as SpecJson, again);
  if (joined.kind === 'joined') return joined.value;
  throw new DeploymentError(
    'STORED_DEPLOYMENT_INVALID',
    `${joined.references.length} secrets of the spec are no longer stored. Send the manifest and the config again.`,
  );
}

export function specReferences(spec: DeploymentSpec): readonly string[] {
  return referencesIn(spec as SpecJson);
}

/** As users may see it, secrets masked. */
export function maskSpec(spec: DeploymentSpec): DeploymentSpec {
  return maskSecrets(spec as SpecJson);
}
