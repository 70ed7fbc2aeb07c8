import { maskValues, textsIn, type ValueMask } from '#kit/std';
import type { DeliveryOrder, Document, PreviewAnswer } from '#protocol/delivery';
import type { TargetId } from '#protocol/targets';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { identityKey, identityOf } from '../../domain/manifest/document-identity.ts';
import type { Payload } from '../../domain/manifest/payload.ts';
import { secretPlaces } from '../../domain/manifest/secret-references.ts';
import { joinSecrets } from '../../domain/manifest/split-secrets.ts';
import { knownSecrets } from '../known-secrets.ts';
import type { PlanInputs } from '../pipeline/plan-inputs.ts';
import type { TargetRouter, Units } from '../ports.ts';
import type { PreviewedTarget } from './preview.ts';

export interface AskedAgents {
  readonly deployment: Deployment;
  readonly revision: number;
  readonly shown: readonly PreviewedTarget[];
  readonly around: PlanInputs;
}

const WIDTH = 10;
/** An agent that does not answer in time is left out: a user is waiting for the preview. */
const ASK_MS = 10_000;

export interface AskDeps {
  readonly router: Pick<TargetRouter, 'preview'>;
  readonly units: Pick<Units, 'read'>;
}

/** The changes predicted by the agents that answer in time. Current and former secrets are masked in all answers. */
export async function askAgents(
  { router, units }: AskDeps,
  asked: AskedAgents,
  signal: AbortSignal,
): Promise<ReadonlyMap<TargetId, PreviewAnswer>> {
  const { deployment, shown } = asked;
  const { old, maskGiven } = await units.read(async ({ contents }) => {
    const about = { deployments: [deployment], targets: shown.map(({ id }) => id) };
    return {
      old: await contents.find(
        shown.flatMap(({ before }) => before ?? []),
        { withSecrets: false },
        signal,
      ),
      maskGiven: (await knownSecrets(contents, about, signal)).get(deployment.uid),
    };
  }, signal);
  const orders = shown.flatMap((target) => {
    const order = orderFor(target, old.get(target.before ?? ''), asked);
    const secrets = target.wanted?.kind === 'content' ? target.wanted.payload.secrets : {};
    return order === undefined ? [] : [{ order, mask: maskValues(textsIn(secrets)) }];
  });
  const answers = new Map<TargetId, PreviewAnswer>();
  const queue = orders.values();
  const ask = async (): Promise<void> => {
    for (const { order, mask } of queue) {
      const answer = await answerTo(router, order, signal);
      const maskAll: ValueMask = (text) => mask(maskGiven?.(text) ?? text);
      if (answer !== undefined) answers.set(order.target.id, masked(answer, maskAll));
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
    // An agent that fails to answer is left out; the rest of the preview is still valid.
    signal.throwIfAborted();
    return undefined;
  }
}

/** An agent of another release, or a compromised one, may answer with anything. */
function masked({ kind, message, changes }: PreviewAnswer, mask: ValueMask): PreviewAnswer {
  return { kind, message: mask(message), changes: changes.map(mask) };
}

function orderFor(
  { id, wanted }: PreviewedTarget,
  before: Payload | undefined,
  { deployment, revision, around }: AskedAgents,
): DeliveryOrder | undefined {
  const target = around.targets.get(id);
  if (target === undefined || !target.isOnline) return undefined;
  const about = { target: { id, name: target.name, type: target.type }, deployment: deployment.uid, revision };
  if (wanted === undefined) return { ...about, kind: 'remove' };
  if (wanted.kind === 'failed') return undefined;
  const { payload } = wanted;
  const documents = joinSecrets(payload.documents, payload.secrets);
  if (documents.kind !== 'joined') return undefined;
  const places = [...new Set([...secretPlaces(payload.documents), ...formerPlaces(before, payload.documents)])];
  const { namespace, healthRules, driftPolicy } = deployment.spec;
  const terms = { healthRules, driftPolicy, ...(namespace === undefined ? {} : { namespace }) };
  return { ...about, ...terms, kind: 'deliver', hash: wanted.hash, documents: documents.value, secretPlaces: places };
}

/** Where the previous document of the same identity had a secret, the agent would find that secret now. */
function formerPlaces(before: Payload | undefined, documents: readonly Document[]): readonly string[] {
  const former = new Map<string, readonly string[]>();
  for (const document of before?.documents ?? []) {
    const identity = identityOf(document);
    if (identity !== undefined) former.set(identityKey(identity), secretPlaces(document));
  }
  return documents.flatMap((document, index) => {
    const identity = identityOf(document);
    const places = identity === undefined ? [] : (former.get(identityKey(identity)) ?? []);
    return places.map((place) => `/${index}${place}`);
  });
}
