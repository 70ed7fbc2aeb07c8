import type { ValueMask } from '#kit/std';
import type { DeliveryReport, Handover, Inventory, TargetObservation } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Deployment, DeploymentId } from '../../domain/deployment/deployment.ts';
import { knownSecrets } from '../known-secrets.ts';
import type { UnitOfWork } from '../ports.ts';

type Masks = ReadonlyMap<DeploymentId, ValueMask>;

/** Masks the secrets of the deployments that the news are about. Most news contain no text, and cost nothing. */
export async function maskNews(
  { contents }: Pick<UnitOfWork, 'contents'>,
  { news, deployments }: { readonly news: readonly TargetObservation[]; readonly deployments: readonly Deployment[] },
  signal: AbortSignal,
): Promise<readonly TargetObservation[]> {
  const texts = news.flatMap(textsOf);
  if (texts.length === 0) return news;
  const named = new Set(texts.map(({ deployment }) => deployment));
  const about = {
    deployments: deployments.filter(({ uid }) => named.has(uid)),
    targets: [...new Set(texts.map(({ target }) => target))],
  };
  const masks = await knownSecrets(contents, about, signal);
  return masks.size === 0 ? news : news.map((each) => masked(each, masks));
}

/** The deployment and target that a text is about. */
interface Text {
  readonly deployment: DeploymentId;
  readonly target: TargetId;
}

function textsOf(news: TargetObservation): readonly Text[] {
  if (news.about === 'connection') return [];
  if (news.about === 'inventory') {
    const { target, holdings } = news.inventory;
    return holdings.flatMap(({ deployment, message }) => (message === '' ? [] : [{ deployment, target }]));
  }
  const its = news.about === 'report' ? news.report : news.handover;
  const hasText = ('message' in its && its.message !== '') || ('objects' in its && its.objects.length > 0);
  return hasText ? [its] : [];
}

function masked(news: TargetObservation, masks: Masks): TargetObservation {
  switch (news.about) {
    case 'connection':
      return news;
    case 'report':
      return { ...news, report: maskedReport(news.report, masks) };
    case 'handover':
      return { ...news, handover: maskedHandover(news.handover, masks) };
    case 'inventory':
      return { ...news, inventory: maskedInventory(news.inventory, masks) };
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
