import type { DeliveryOrder, PreviewAnswer } from '#protocol/delivery';
import type { ApplySetInventory } from '../domain/inventory.ts';
import { keyText } from '../domain/kube-object.ts';
import { acceptedOrder } from '../domain/order.ts';
import { maskFor } from '../domain/secret-fields.ts';
import { WIDTH } from './carry-out-order.ts';
import type { Claims } from './claims.ts';
import { compare, maskedComparison } from './compare.ts';
import { InventoryTracker } from './inventory-tracker.ts';
import type { ClusterPorts } from './ports.ts';
import { summaryOf } from './summary.ts';
import { survey } from './survey.ts';
import { withoutSecrets } from './without-secrets.ts';

export interface PreviewDeps {
  readonly ports: ClusterPorts;
  readonly claims: Claims;
}

/** Computes the effect of an order by dry runs. Writes nothing and claims nothing. */
export async function previewOrder(
  { ports, claims }: PreviewDeps,
  { order, inventory }: { readonly order: DeliveryOrder; readonly inventory: ApplySetInventory | undefined },
  signal: AbortSignal,
): Promise<PreviewAnswer> {
  const { api: cluster, discovery, inventories, watch, own } = ports;
  const { deployment, revision, hash, documents, namespace, secretPlaces } = acceptedOrder(order);
  const delivery = { deployment, revision, hash, documents, namespace, secretPlaces };
  const mask = maskFor(documents, secretPlaces);
  const tracker = new InventoryTracker({ inventories }, inventory, delivery);
  const otherOwner: Parameters<typeof survey>[1]['records']['otherOwner'] = (key) => {
    const owner = claims.ownerOf(key);
    return owner === deployment ? undefined : owner;
  };
  const deps = { cluster, discovery, inventories, watch, own, width: WIDTH };
  const found = await survey(deps, { delivery, records: { find: (key) => tracker.find(key), otherOwner } }, signal);
  if (found.kind === 'rejected') return { kind: 'wouldReject', message: mask(found.message), changes: [] };
  const { entries } = tracker;
  if (found.policy.mode === 'release') {
    return { kind: 'wouldApply', message: '', changes: entries.map(({ key }) => `release ${keyText(key)}`) };
  }
  const all = await withoutSecrets(
    () => mask,
    async () => await compare(deps, { found, deployment, entries }, signal),
  );
  const compared = all.map((each) => maskedComparison(each, mask));
  const changes = compared.flatMap(({ lines }) => lines);
  const refusals = compared.flatMap(({ refusal }) => (refusal === undefined ? [] : [refusal]));
  if (refusals.length > 0) return { kind: 'wouldReject', message: summaryOf(refusals), changes };
  const unserved = found.unserved.map(({ apiVersion, kind }) => `${apiVersion}/${kind} is not served yet`);
  return { kind: 'wouldApply', message: summaryOf(unserved), changes };
}
