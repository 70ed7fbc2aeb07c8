import type { ValueMask } from '#kit/std';
import { type OtherInventories, otherHolder } from '../domain/held-by-others.ts';
import { forApply } from '../domain/ignore-fields.ts';
import { type InventoryEntry, pruneSet } from '../domain/inventory.ts';
import { keyText } from '../domain/kube-object.ts';
import { diffLines } from '../domain/object-diff.ts';
import { pruneStep } from '../domain/ownership.ts';
import { refusalStep } from '../domain/refusal.ts';
import { inParallel } from './in-parallel.ts';
import type { ClusterApi, ClusterPorts, InventoryStore } from './ports.ts';
import type { PlannedObject, Survey } from './survey.ts';

const NONE: OtherInventories = { records: [], corrupt: [] };

/** Effect of an order on one object. */
export interface Comparison {
  readonly text: string;
  /** Empty when nothing would change. */
  readonly lines: readonly string[];
  /** Why the server would refuse it. */
  readonly refusal?: string;
}

export interface CompareDeps {
  readonly cluster: ClusterApi;
  readonly inventories: Pick<InventoryStore, 'others'>;
  readonly own?: ClusterPorts['own'] | undefined;
  readonly width: number;
}

export interface ComparedWork {
  readonly found: Survey;
  readonly deployment: string;
  readonly entries: readonly InventoryEntry[];
}

/** Masks values known to be secret in every field. */
export function maskedComparison({ text, lines, refusal }: Comparison, mask: ValueMask): Comparison {
  return { text, lines: lines.map(mask), ...(refusal === undefined ? {} : { refusal: mask(refusal) }) };
}

/** Compares by dry runs; sorted by name. */
export async function compare(
  deps: CompareDeps,
  { found, deployment, entries }: ComparedWork,
  signal: AbortSignal,
): Promise<readonly Comparison[]> {
  const compared: Comparison[] = [];
  await inParallel(found.planned, deps.width, async (planned) => {
    compared.push(await compareOne(deps.cluster, { planned, found }, signal));
  });
  const pruned = pruneSet({ ...found, entries, desired: found.planned });
  const others = pruned.length === 0 ? NONE : await deps.inventories.others(deployment, signal);
  await inParallel(pruned, deps.width, async (entry) => {
    const live = await deps.cluster.get(entry.key, signal);
    const isOwn = deps.own !== undefined && entry.key.namespace === deps.own.namespace;
    if (live === undefined || isOwn || pruneStep(entry, live, deployment).kind !== 'delete') return;
    const text = keyText(entry.key);
    const holder = otherHolder(entry, live, others);
    const lines =
      holder === undefined
        ? diffLines({ live, next: undefined, patterns: [], secrets: [] })
        : [`release ${text}: held by ${holder}`];
    compared.push({ text, lines });
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
  // The watch keeps too little of an object to show a diff.
  const live = planned.live && (await cluster.get(key, signal));
  const force = step.kind === 'apply' ? step.force : true;
  const answer = await cluster.apply(forApply(object, live, patterns), { force, dryRun: true }, signal);
  // The kind or namespace comes with the same order.
  if (answer.kind === 'notYet') return { text, lines: [`create ${text}`] };
  if (answer.kind === 'done') return { text, lines: diffLines({ live, next: answer.object, patterns, secrets }) };
  const { onImmutable } = found.policy;
  const next = refusalStep(key, answer.status, { onImmutable, isThere: live !== undefined });
  return next.kind === 'replace' ? { text, lines: [`replace ${text}`] } : { text, lines: [], refusal: next.message };
}
