import type { ValueMask } from '#kit/std';
import type { DeliveryReport, Handover, Inventory, TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import { knownSecrets } from '../known-secrets.ts';
import type { UnitOfWork } from '../ports.ts';

type Masks = ReadonlyMap<DeploymentId, ValueMask>;

/** Masks the secrets of the deployments that the observations are about. Most contain no text, and cost nothing. */
export async function maskObservations(
  { contents }: Pick<UnitOfWork, 'contents'>,
  {
    observations,
    deployments,
  }: { readonly observations: readonly TargetObservation[]; readonly deployments: readonly Deployment[] },
  signal: AbortSignal,
): Promise<readonly TargetObservation[]> {
  const texts = observations.flatMap(textsOf);
  if (texts.length === 0) return observations;
  const named = new Set(texts.map(({ deployment }) => deployment));
  const about = {
    deployments: deployments.filter(({ uid }) => named.has(uid)),
    targets: [...new Set(texts.map(({ target }) => target))],
  };
  const masks = await knownSecrets(contents, about, signal);
  return masks.size === 0 ? observations : observations.map((each) => masked(each, masks));
}

/** The deployment and target that a text is about. */
interface Text {
  readonly deployment: DeploymentId;
  readonly target: TargetId;
}

function textsOf(observation: TargetObservation): readonly Text[] {
  if (observation.about === 'connection') return [];
  if (observation.about === 'inventory') {
    const { target, holdings } = observation.inventory;
    return holdings.flatMap(({ deployment, message }) => (message === '' ? [] : [{ deployment, target }]));
  }
  const its = observation.about === 'report' ? observation.report : observation.handover;
  const hasText = ('message' in its && its.message !== '') || ('objects' in its && its.objects.length > 0);
  return hasText ? [its] : [];
}

function masked(observation: TargetObservation, masks: Masks): TargetObservation {
  switch (observation.about) {
    case 'connection':
      return observation;
    case 'report':
      return { ...observation, report: maskedReport(observation.report, masks) };
    case 'handover':
      return { ...observation, handover: maskedHandover(observation.handover, masks) };
    case 'inventory':
      return { ...observation, inventory: maskedInventory(observation.inventory, masks) };
  }
}

function maskedReport(report: DeliveryReport, masks: Masks): DeliveryReport {
  const mask = masks.get(report.deployment);
  if (mask === undefined) return report;
  if (report.kind === 'drift') return { ...report, objects: report.objects.map(mask) };
  return 'message' in report ? { ...report, message: mask(report.message) } : report;
}

function maskedHandover(handover: Handover, masks: Masks): Handover {
  const mask = masks.get(handover.deployment);
  return mask !== undefined && 'message' in handover ? { ...handover, message: mask(handover.message) } : handover;
}

function maskedInventory(inventory: Inventory, masks: Masks): Inventory {
  const holdings = inventory.holdings.map((holding) => {
    const mask = masks.get(holding.deployment);
    return mask === undefined ? holding : { ...holding, message: mask(holding.message) };
  });
  return { ...inventory, holdings };
}
