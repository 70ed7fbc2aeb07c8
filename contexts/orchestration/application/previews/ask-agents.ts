import type { DeliveryOrder } from '../../domain/delivery/delivery-order.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { joinSecrets } from '../../domain/manifest/split-secrets.ts';
import type { TargetId } from '../../domain/target-view.ts';
import type { Surroundings } from '../pipeline/look-around.ts';
import type { PreviewAnswer, TargetRouter } from '../ports.ts';
import type { PreviewedTarget } from './preview.ts';

export interface AskedAgents {
  readonly deployment: Deployment;
  readonly revision: number;
  readonly shown: readonly PreviewedTarget[];
  readonly around: Surroundings;
}

const WIDTH = 10;
/** An agent that says nothing is left out: a preview is looked at by somebody who waits. */
const ASK_MS = 10_000;

/** What the agents say would change, of those that answer in time. */
export async function askAgents(
  { router }: { readonly router: Pick<TargetRouter, 'preview'> },
  asked: AskedAgents,
  signal: AbortSignal,
): Promise<ReadonlyMap<TargetId, PreviewAnswer>> {
  const orders = asked.shown.flatMap((target) => orderFor(target, asked) ?? []);
  const answers = new Map<TargetId, PreviewAnswer>();
  const queue = orders.values();
  const ask = async (): Promise<void> => {
    for (const order of queue) {
      const answer = await answerTo(router, order, signal);
      if (answer !== undefined) answers.set(order.target.id, answer);
    }
  };
  await Promise.all(Array.from({ length: WIDTH }, ask));
  return answers;
}

async function answerTo(
  router: Pick<TargetRouter, 'preview'>,
  order: DeliveryOrder,
  signal: AbortSignal,
): Promise<PreviewAnswer | undefined> {
  try {
    return await router.preview(order, AbortSignal.any([signal, AbortSignal.timeout(ASK_MS)]));
  } catch {
    // What an agent cannot say at the moment is not known; the rest of the preview holds all the same.
    signal.throwIfAborted();
    return undefined;
  }
}

function orderFor(
  { id, wanted }: PreviewedTarget,
  { deployment, revision, around }: AskedAgents,
): DeliveryOrder | undefined {
  const target = around.targets.get(id);
  if (target === undefined || !target.isOnline) return undefined;
  const about = { target: { id, name: target.name, type: target.type }, deployment: deployment.uid, revision };
  if (wanted === undefined) return { ...about, kind: 'remove' };
  const documents =
    wanted.kind === 'content' ? joinSecrets(wanted.payload.documents, wanted.payload.secrets) : undefined;
  if (wanted.kind === 'failed' || documents?.kind !== 'joined') return undefined;
  const { namespace, healthRules, driftPolicy } = deployment.spec;
  const terms = { healthRules, driftPolicy, ...(namespace === undefined ? {} : { namespace }) };
  return { ...about, ...terms, kind: 'deliver', hash: wanted.hash, documents: documents.value };
}
