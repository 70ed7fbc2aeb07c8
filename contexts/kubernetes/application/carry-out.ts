import type { Sleep } from '#kit/std';
import { applyWaves, deleteWaves } from '../domain/apply-waves.ts';
import { deletionMessage } from '../domain/deletion-message.ts';
import { definitionHealth } from '../domain/health/extension-health.ts';
import { forApply } from '../domain/ignore-fields.ts';
import { type InventoryEntry, pruneSet } from '../domain/inventory.ts';
import { keyText } from '../domain/kube-object.ts';
import { diffLines } from '../domain/object-diff.ts';
import { pruneStep } from '../domain/ownership.ts';
import { applyObject } from './apply-object.ts';
import { inParallel } from './in-parallel.ts';
import { Ledger } from './ledger.ts';
import { type Delivery, type PlannedObject, type Survey, type SurveyDeps, survey } from './survey.ts';

export interface CarryOutDeps extends SurveyDeps {
  readonly sleep: Sleep;
  /** How often is looked whether something is established or gone, and how often at most. */
  readonly lookEveryMs: number;
  readonly looks: number;
}

export type Outcome =
  | { readonly kind: 'applied' }
  /** It never will be. */
  | { readonly kind: 'rejected'; readonly message: string }
  /** Not as long as things are as they are. */
  | { readonly kind: 'failed'; readonly message: string }
  /** To be carried out again: the rest depends on what is under way. */
  | { readonly kind: 'waiting'; readonly message: string }
  /** A later one was seen. */
  | { readonly kind: 'fenced'; readonly seen: number }
  | { readonly kind: 'observed'; readonly changes: readonly string[] }
  | { readonly kind: 'released' };

const APPLIED: Outcome = { kind: 'applied' };
const MAX_TOLD = 3;

/**
 * Brings a cluster to what is wanted. It may end anywhere and be carried out again: before an object is touched the inventory
 * says that it may be ours. A conflict that can be seen beforehand writes nothing at all.
 */
export async function carryOut(deps: CarryOutDeps, delivery: Delivery, signal: AbortSignal): Promise<Outcome> {
  const found = await survey(deps, delivery, signal);
  if (found.kind === 'rejected') return found;
  const { seen } = found.inventory;
  if (delivery.revision < seen.revision) return { kind: 'fenced', seen: seen.revision };
  const ledger = new Ledger(deps.inventories, found.inventory, delivery);
  if (found.policy.mode === 'observe') return { kind: 'observed', changes: await compare(deps, found, signal) };
  if (found.policy.mode === 'release') {
    for (const { key } of ledger.entries) ledger.forget(key);
    await ledger.save(true, signal);
    return { kind: 'released' };
  }
  const conflicts = found.planned.flatMap(({ step }) => (step.kind === 'conflict' ? [step.message] : []));
  if (conflicts.length > 0) return { kind: 'failed', message: told(conflicts) };
  const applied = await applyAll({ deps, found, ledger }, signal);
  const outcome = applied ?? (await prune({ deps, found, ledger }, signal)) ?? APPLIED;
  await ledger.save(outcome.kind === 'applied', signal);
  return outcome;
}

interface Work {
  readonly deps: CarryOutDeps;
  readonly found: Survey;
  readonly ledger: Ledger;
}

/** `undefined` when all went well. What was made is in the ledger in any case. */
async function applyAll({ deps, found, ledger }: Work, signal: AbortSignal): Promise<Outcome | undefined> {
  const todo = found.planned.filter(({ step }) => step.kind === 'apply');
  for (const { key, step, sent } of todo) {
    if (step.kind === 'apply') ledger.intend({ key, origin: step.origin, sent });
  }
  if (todo.length > 0) await ledger.save(false, signal);
  const waits = found.planned.flatMap(({ step }) => (step.kind === 'wait' ? [step.message] : []));
  for (const wave of applyWaves(todo)) {
    const failures: string[] = [];
    await inParallel(wave.objects, deps.width, async (planned) => {
      const answer = await applyObject({ cluster: deps.cluster, policy: found.policy }, planned, signal);
      if (answer.kind === 'done') ledger.set(answer.entry);
      if (answer.kind === 'failed') failures.push(answer.message);
      if (answer.kind === 'waiting') waits.push(answer.message);
    });
    if (failures.length > 0) return { kind: 'failed', message: told(failures) };
    if (wave.waitsUntilEstablished) waits.push(...(await established(deps, wave.objects, signal)));
    if (waits.length > 0) break;
  }
  const unserved = found.unserved.map(({ apiVersion, kind }) => `${apiVersion}/${kind} is not served yet`);
  const open = [...waits, ...unserved];
  return open.length === 0 ? undefined : { kind: 'waiting', message: told(open) };
}

async function prune(work: Work, signal: AbortSignal): Promise<Outcome | undefined> {
  const { deps, found, ledger } = work;
  for (const wave of deleteWaves(pruneSet({ ...found, wanted: found.planned }))) {
    const held: string[] = [];
    await inParallel(wave, deps.width, async (entry) => {
      const why = await removed(work, entry, signal);
      if (why === undefined) ledger.forget(entry.key);
      else held.push(why);
    });
    if (held.length > 0) return { kind: 'waiting', message: told(held) };
  }
  return undefined;
}

/** What holds it; `undefined` once it is gone, or was never ours. */
async function removed({ deps, found }: Work, entry: InventoryEntry, signal: AbortSignal) {
  const { cluster, sleep, lookEveryMs, looks } = deps;
  let live = await cluster.get(entry.key, signal);
  const step = pruneStep(entry, live, found.inventory.deployment);
  if (step.kind === 'forget') return undefined;
  if (live?.metadata.deletionTimestamp === undefined) live = await cluster.delete(entry.key, step.uid, signal);
  for (let look = 0; live !== undefined && look < looks; look += 1) {
    await sleep(lookEveryMs, signal);
    live = await cluster.get(entry.key, signal);
    if (live?.metadata.uid !== step.uid) return undefined;
  }
  return live && `${keyText(entry.key)} ${deletionMessage(live) ?? 'is still there'}`;
}

async function established(
  deps: CarryOutDeps,
  planned: readonly PlannedObject[],
  signal: AbortSignal,
): Promise<string[]> {
  const late: string[] = [];
  await inParallel(planned, deps.width, async ({ key }) => {
    for (let look = 0; look < deps.looks; look += 1) {
      const object = await deps.cluster.get(key, signal);
      if (object && definitionHealth({ object, pods: [], events: [] }).state === 'Available') return;
      await deps.sleep(deps.lookEveryMs, signal);
    }
    late.push(`${keyText(key)} is not established yet`);
  });
  return late;
}

async function compare({ cluster, width }: CarryOutDeps, found: Survey, signal: AbortSignal): Promise<string[]> {
  const lines = new Map<string, readonly string[]>();
  await inParallel(found.planned, width, async ({ key, object, live, patterns }) => {
    const answer = await cluster.apply(forApply(object, live, patterns), { force: true, dryRun: true }, signal);
    const its =
      answer.kind === 'done' ? diffLines({ live, next: answer.object, patterns }) : [`refused ${keyText(key)}`];
    lines.set(keyText(key), its);
  });
  await inParallel(pruneSet({ ...found, wanted: found.planned }), width, async (entry) => {
    const live = await cluster.get(entry.key, signal);
    const isToGo = pruneStep(entry, live, found.inventory.deployment).kind === 'delete';
    if (isToGo) lines.set(keyText(entry.key), diffLines({ live, next: undefined, patterns: [] }));
  });
  return [...lines].sort(([one], [two]) => (one < two ? -1 : 1)).flatMap(([, its]) => its);
}

/** Sorted and bounded, so that the same trouble has the same words. */
function told(messages: readonly string[]): string {
  const more = messages.length > MAX_TOLD ? [`and ${messages.length - MAX_TOLD} more`] : [];
  return [...messages.toSorted().slice(0, MAX_TOLD), ...more].join(' ');
}
