import { contentHash } from '#kit/std';
import type { DeploymentSpec } from './deployment.ts';

/** What an agent goes by beside the documents themselves. */
type DeliveryTerms = Pick<DeploymentSpec, 'namespace' | 'healthRules' | 'driftPolicy'>;

/**
 * What a delivery is known by. It is that of the documents, unless they go with terms that an agent has to know, too: a
 * change of those has to reach it, though no document differs.
 */
export function deliveryHash(documentsHash: string, { namespace, healthRules, driftPolicy }: DeliveryTerms): string {
  if (namespace === undefined && healthRules.length === 0 && driftPolicy === 'report') return documentsHash;
  return contentHash({ documents: documentsHash, namespace: namespace ?? null, healthRules, driftPolicy });
}
