import type { Precondition, ResourceName, Uuid } from '#kit/std';
import {
  assignTarget,
  mergeTarget,
  patchTarget,
  reportTarget,
  type TargetPatch,
  type TargetReport,
  withLifecycle,
} from '../domain/change-target.ts';
import {
  aliasCondition,
  type ClusterIdentity,
  claimIdentity,
  identityCondition,
  isSameIdentity,
  mergeFault,
} from '../domain/cluster-identity.ts';
import { type ConnectionReport, connectTarget, loseConnection } from '../domain/connect-target.ts';
import { newTarget, parseTargetDraft, type RawTargetDraft } from '../domain/new-target.ts';
import type { Lifecycle, Target, TargetPlace } from '../domain/target.ts';
import { TargetError, targetNotFound } from '../domain/target-error.ts';
import { eventsOf } from '../domain/target-event.ts';
import { isBuiltIn, unknownType } from '../domain/target-type.ts';
import type { AddonTypes, ConnectedRange, TargetContents, TargetReader, UnitOfWork } from './ports.ts';

export interface TargetServiceDeps {
  readonly newUid: () => Uuid;
  readonly addonTypes: AddonTypes;
}

export interface RegisterTarget {
  readonly draft: RawTargetDraft;
  readonly now: number;
}

/** The target to change, the time of the change, and the expected state. */
export interface ChangeTarget {
  readonly name: ResourceName;
  readonly precondition: Precondition<Target>;
  readonly now: number;
}

export interface ReportConnections {
  readonly reports: readonly ConnectionReport[];
  readonly now: number;
}

export interface LoseConnections extends ConnectedRange {
  readonly isHeld: (target: Target) => boolean;
  readonly now: number;
}

/**
 * The operations on targets. The caller provides the unit of work and decides whether to commit it: a dry run does not. The
 * service keeps no state between calls, so a unit may be run again. A change that changes nothing writes and announces nothing.
 */
export class TargetService {
  readonly #deps: TargetServiceDeps;

  constructor(deps: TargetServiceDeps) {
    this.#deps = deps;
  }

  async register(unit: UnitOfWork, { draft: raw, now }: RegisterTarget, signal: AbortSignal): Promise<Target> {
    const draft = parseTargetDraft(raw);
    if (!isBuiltIn(draft.type) && !(await this.#deps.addonTypes.has(draft.type, signal))) throw unknownType(draft.type);
    if (await unit.targets.find(draft.name, signal)) throw nameTaken(draft.name);
    const workspace = await placeOf(unit, draft.workspace, signal);
    const target = newTarget(draft, { workspace, uid: this.#deps.newUid(), now });
    await unit.targets.insert(target, signal);
    await unit.events.append([{ type: 'target.created', target }], now, signal);
    return target;
  }

  async get(reader: Pick<TargetReader, 'find'>, name: ResourceName, signal: AbortSignal): Promise<Target> {
    const target = await reader.find(name, signal);
    if (target === undefined) throw targetNotFound(name);
    return target;
  }

  async patch(unit: UnitOfWork, command: ChangeTarget & { readonly patch: TargetPatch }, signal: AbortSignal) {
    return await this.#change(unit, command, signal, (target) => patchTarget(target, command.patch, command.now));
  }

  /** Moves the target from one workspace to another in one step: it is never in both, and never in none. */
  async assign(unit: UnitOfWork, command: ChangeTarget & { readonly workspace: ResourceName }, signal: AbortSignal) {
    const workspace = await placeOf(unit, command.workspace, signal);
    return await this.#change(unit, command, signal, (target) => assignTarget(target, workspace, command.now));
  }

  async setLifecycle(unit: UnitOfWork, command: ChangeTarget & { readonly lifecycle: Lifecycle }, signal: AbortSignal) {
    return await this.#change(unit, command, signal, (target) => withLifecycle(target, command.lifecycle, command.now));
  }

  /** The report of the target's agent. */
  async report(unit: UnitOfWork, command: ChangeTarget & { readonly report: TargetReport }, signal: AbortSignal) {
    return await this.#change(unit, command, signal, (target) => reportTarget(target, command.report, command.now));
  }

  /** Reads all targets in one statement and writes them in one. Returns the names that do not exist. */
  async reportConnections(
    unit: UnitOfWork,
    { reports, now }: ReportConnections,
    signal: AbortSignal,
  ): Promise<readonly ResourceName[]> {
    const names = [...new Set(reports.map(({ target }) => target))];
    const found = new Map((await unit.connections.findAll(names, signal)).map((target) => [target.name, target]));
    const next = new Map<ResourceName, Target>();
    for (const report of reports.toSorted((a, b) => a.time - b.time)) {
      const before = found.get(report.target);
      const known = next.get(report.target) ?? before;
      if (before === undefined || known === undefined) continue;
      const target = connectTarget(known, report);
      // Several reports on one target are one change.
      if (target !== known) next.set(report.target, { ...target, version: before.version + 1 });
    }
    await unit.connections.replaceAll([...next.values()], signal);
    const events = [...next.values()].flatMap((after) => eventsOf(found.get(after.name) ?? after, after));
    await unit.events.append(events, now, signal);
    return names.filter((name) => !found.has(name));
  }

  /** An agent claims the identity of its cluster. Returns what the target holds, or was refused, from then on. */
  async claimIdentity(
    unit: UnitOfWork,
    command: ChangeTarget & { readonly identity: string },
    signal: AbortSignal,
  ): Promise<ClusterIdentity> {
    const target = await this.get(unit.targets, command.name, signal);
    const isHeldByOther = await unit.identities.isHeldByOther(target.uid, command.identity, signal);
    const before = await unit.identities.find(target.uid, signal);
    const next = claimIdentity(before, command.identity, isHeldByOther);
    await this.#setIdentity(unit, { ...command, target, before, next }, signal);
    return next;
  }

  /** An administrator tells a refused cluster from the one that it looks like. Repeating it changes nothing. */
  async reidentify(unit: UnitOfWork, command: ChangeTarget, signal: AbortSignal): Promise<Target> {
    const target = await this.get(unit.targets, command.name, signal);
    command.precondition.check(target);
    const before = await unit.identities.find(target.uid, signal);
    if (before.refused === undefined) throw notRefused(target.name);
    const next = { ...before, issued: before.issued ?? this.#deps.newUid() };
    return await this.#setIdentity(unit, { ...command, target, before, next }, signal);
  }

  /**
   * Makes a refused target an alias of the one that has its cluster: its agent serves that one, and no placement has the
   * alias any more. Nothing is removed from the cluster.
   */
  async merge(unit: UnitOfWork, command: ChangeTarget & { readonly into: ResourceName }, signal: AbortSignal) {
    const target = await this.get(unit.targets, command.name, signal);
    command.precondition.check(target);
    const into = await this.get(unit.targets, command.into, signal);
    if (target.aliasOf === into.name) return target;
    const identity = await unit.identities.find(target.uid, signal);
    const intoIdentity = await unit.identities.find(into.uid, signal);
    const hasAliases = await unit.targets.hasAliases(target.name, signal);
    const fault = mergeFault({ target, into, identity, intoIdentity, hasAliases });
    if (fault !== undefined) throw new TargetError('NOT_MERGEABLE', fault);
    const merge = { uid: target.uid, into: into.name, now: command.now };
    for (const observer of unit.mergeObservers) await observer.merged(merge, signal);
    const any = { check: () => {} };
    const change = { ...command, precondition: any };
    const merged = await this.#change(unit, change, signal, (current) => mergeTarget(current, into, command.now));
    const report = { conditions: [aliasCondition(merged)] };
    return await this.report(unit, { ...change, report }, signal);
  }

  async #setIdentity(
    unit: UnitOfWork,
    {
      target,
      before,
      next,
      ...command
    }: ChangeTarget & Readonly<{ target: Target; before: ClusterIdentity; next: ClusterIdentity }>,
    signal: AbortSignal,
  ): Promise<Target> {
    // A refused agent asks again and again.
    if (!isSameIdentity(before, next)) await unit.identities.put(target.uid, next, signal);
    const condition = identityCondition(target, next);
    const report = { conditions: condition === undefined ? [] : [condition] };
    return await this.report(unit, { ...command, precondition: { check: () => {} }, report }, signal);
  }

  /**
   * A connection belongs to the process that holds it: a connection without a holder is over. Handles the next `limit` targets;
   * returns where to continue, or `undefined` when these were the last.
   */
  async loseConnections(unit: UnitOfWork, command: LoseConnections, signal: AbortSignal): Promise<string | undefined> {
    const { isHeld, after, limit, now } = command;
    const connected = await unit.connections.connected({ after, limit }, signal);
    const lost = connected.filter((target) => !isHeld(target));
    const next = lost.map((target) => loseConnection(target, now));
    await unit.connections.replaceAll(next, signal);
    const events = lost.flatMap((before, index) => eventsOf(before, next[index] ?? before));
    await unit.events.append(events, now, signal);
    return connected.length < limit ? undefined : connected.at(-1)?.name;
  }

  /** Objects on the target stay there, and nothing manages them any more: with any, `force` has to be said. */
  async delete(
    unit: UnitOfWork,
    { name, precondition, now, force }: ChangeTarget & { readonly force: boolean },
    signal: AbortSignal,
  ): Promise<void> {
    const target = await this.get(unit.targets, name, signal);
    precondition.check(target);
    if (await unit.targets.hasAliases(name, signal)) throw hasAliases(name);
    if (!force) await refuseInUse(unit, target, signal);
    await unit.targets.remove(target, signal);
    const gone = { uid: target.uid, workspace: target.workspace.name, now };
    for (const observer of unit.deleteObservers) await observer.deleted(gone, signal);
    await unit.events.append([{ type: 'target.deleted', target }], now, signal);
  }

  async #change(
    unit: UnitOfWork,
    { name, precondition, now }: ChangeTarget,
    signal: AbortSignal,
    change: (current: Target) => Target,
  ): Promise<Target> {
    const current = await this.get(unit.targets, name, signal);
    precondition.check(current);
    const next = change(current);
    if (next === current) return current;
    await unit.targets.replace(next, signal);
    await unit.events.append(eventsOf(current, next), now, signal);
    return next;
  }
}

/** As many as a person reads. */
const SHOWN = 20;

async function refuseInUse({ deleteObservers }: UnitOfWork, { uid, name }: Target, signal: AbortSignal): Promise<void> {
  const asked = deleteObservers.flatMap((observer) => observer.contentsOf?.({ uid }, SHOWN, signal) ?? []);
  const all = await Promise.all(asked);
  const inTheWay = all.filter(({ count }) => count > 0);
  if (inTheWay.length === 0) return;
  const act =
    'Take it out of their placement first, or delete it with force: what runs there stays, and is managed no more.';
  throw new TargetError('TARGET_IN_USE', `Target ${name} has ${inTheWay.map(inWords).join('; ')}. ${act}`, {
    details: { inTheWay },
  });
}

function inWords({ kind, count, names }: TargetContents): string {
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `${count} ${kind}${count === 1 ? '' : 's'} (${names.join(', ')}${more})`;
}

async function placeOf(unit: UnitOfWork, workspace: ResourceName, signal: AbortSignal): Promise<TargetPlace> {
  const [place] = await unit.workspaces.places([workspace], signal);
  if (place !== undefined) return place;
  throw new TargetError(
    'NO_SUCH_WORKSPACE',
    `There is no workspace ${workspace} to put the target in. Create it first, or choose another.`,
    { faults: [{ path: '/workspace', message: 'does not exist' }] },
  );
}

function hasAliases(name: string): TargetError {
  return new TargetError(
    'TARGET_HAS_ALIASES',
    `Other targets are aliases of ${name}, and their agents serve it. Delete the aliases first.`,
  );
}

function notRefused(name: string): TargetError {
  return new TargetError(
    'IDENTITY_NOT_REFUSED',
    `Target ${name} was not refused because of its cluster, so its cluster needs no id of its own.`,
  );
}

function nameTaken(name: string): TargetError {
  return new TargetError(
    'NAME_TAKEN',
    `There is a target ${name} already, and names are unique in the whole instance. Choose another.`,
    { faults: [{ path: '/name', message: 'is taken' }] },
  );
}
