import { contentHash } from '#kit/std';
import type { DeploymentSpec } from './deployment.ts';

/** The settings that an agent acts on besides the documents. */
type DeliveryTerms = Pick<DeploymentSpec, 'namespace' | 'healthRules' | 'driftPolicy'>;

/**
 * The hash that identifies a delivery. It is the hash of the documents, unless the agent also needs settings that differ
 * from the defaults: a change of those has to reach it although no document differs.
 */
export function deliveryHash(documentsHash: string, { namespace, healthRules, driftPolicy }: DeliveryTerms): string {
  if (namespace === undefined && healthRules.length === 0 && driftPolicy === 'report') return documentsHash;
  return contentHash({ documents: documentsHash, namespace: namespace ?? null, healthRules, driftPolicy });
}
