import type { ValueMask } from '#kit/std';
import { forApply } from '../domain/ignore-fields.ts';
import { type InventoryEntry, pruneSet } from '../domain/inventory.ts';
import { keyText } from '../domain/kube-object.ts';
import { diffLines } from '../domain/object-diff.ts';
import { pruneStep } from '../domain/ownership.ts';
import { refusalStep } from '../domain/refusal.ts';
import { inParallel } from './in-parallel.ts';
import type { ClusterApi } from './ports.ts';
import type { PlannedObject, Survey } from './survey.ts';

/** What an order would do to one object. */
export interface Comparison {
  readonly text: string;
  /** Empty when nothing would change. */
  readonly lines: readonly string[];
  /** Why the server would not take it. */
  readonly refusal?: string;
}

export interface CompareDeps {
  readonly cluster: ClusterApi;
  readonly width: number;
}

export interface ComparedWork {
  readonly found: Survey;
  readonly deployment: string;
  readonly entries: readonly InventoryEntry[];
}

/** Without values that are known to be secret, whichever field they turn up in. */
export function maskedComparison({ text, lines, refusal }: Comparison, mask: ValueMask): Comparison {
  return { text, lines: lines.map(mask), ...(refusal === undefined ? {} : { refusal: mask(refusal) }) };
}

/** By dry runs; in the order of names. */
export async function compare(
  deps: CompareDeps,
  { found, deployment, entries }: ComparedWork,
  signal: AbortSignal,
): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  await inParallel(found.planned, deps.width, async (planned) => {
    compared.push(await compareOne(deps.cluster, { planned, found }, signal));
  });
  await inParallel(pruneSet({ ...found, entries, wanted: found.planned }), deps.width, async (entry) => {
    const live = await deps.cluster.get(entry.key, signal);
    const isToGo = pruneStep(entry, live, deployment).kind === 'delete';
    if (isToGo)
      compared.push({
        text: keyText(entry.key),
        lines: diffLines({ live, next: undefined, patterns: [], secrets: [] }),
      });
  });
  return compared.sort((one, two) => (one.text < two.text ? -1 : 1));
}

async function compareOne(
  cluster: ClusterApi,
  { planned, found }: { readonly planned: PlannedObject; readonly found: Survey },
  signal: AbortSignal,
): Promise<Comparison> {
  const { key, object, patterns, step, secrets } = planned;
  const text = keyText(key);
  if (step.kind === 'keep') return { text, lines: [] };
  if (step.kind === 'conflict') return { text, lines: [], refusal: step.message };
  // What the watch keeps of an object is too little to show what would change.
  const live = planned.live && (await cluster.get(key, signal));
  const force = step.kind === 'apply' ? step.force : true;
  const answer = await cluster.apply(forApply(object, live, patterns), { force, dryRun: true }, signal);
  // Of a kind, or in a namespace, that comes with the same order.
  if (answer.kind === 'notYet') return { text, lines: [`create ${text}`] };
  if (answer.kind === 'done') return { text, lines: diffLines({ live, next: answer.object, patterns, secrets }) };
  const { onImmutable } = found.policy;
  const next = refusalStep(key, answer.status, { onImmutable, isThere: live !== undefined });
  return next.kind === 'replace' ? { text, lines: [`replace ${text}`] } : { text, lines: [], refusal: next.message };
}
