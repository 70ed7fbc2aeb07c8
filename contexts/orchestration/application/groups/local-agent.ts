import type { Json } from '#kit/std';
import { type Clock, unlessAborted } from '#kit/std';
import type { Acknowledgement, DeliveryOrder, DeliveryReport, PreviewAnswer } from '#protocol/delivery';
import { DeploymentError } from '../../domain/deployment/deployment-error.ts';
import { digestGroup, faultsText, parseGroupDocuments } from '../../domain/group/group-document.ts';
import { newGroup } from '../../domain/group/group-state.ts';
import type { DeploymentGroupSpec } from '../../domain/manifest/group/deployment-group.ts';
import { type GroupDelta, groupDelta } from '../../domain/manifest/group/group-delta.ts';
import { referencesIn } from '../../domain/manifest/secret-references.ts';
import { joinSecrets } from '../../domain/manifest/split-secrets.ts';
import { LOCAL_TARGET_ID } from '../../domain/target-view.ts';
import type { GroupRecord, Observer, TargetRouter, UnitOfWork, Units } from '../ports.ts';
import { groupHoldings } from './group-holdings.ts';

export interface LocalAgentDeps {
  readonly units: Units;
  readonly clock: Clock;
  readonly observer: Observer;
}

type Delivery = Extract<DeliveryOrder, { kind: 'deliver' }>;

/** Never changes: the installation is the platform's own database. */
const INSTANCE = 'platform';
const CONNECT_MS = 30_000;

/**
 * The platform as its own target. It accepts only groups; a group is persisted once it is in the database and its
 * controller is woken, which reports the group's state through this agent.
 *
 * DECISION: it connects when `connect` is called, or with the first order or report. Both reach only the process that
 * executes workflows, so a standby process never reports on another process's work.
 */
export class LocalAgent implements TargetRouter {
  readonly #deps: LocalAgentDeps;
  #here: Promise<void> | undefined;

  constructor(deps: LocalAgentDeps) {
    this.#deps = deps;
  }

  /** Reports that the agent is online and what it has: once, and before anything else. */
  async connect(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#here ??= this.#introduce().catch((error: unknown) => {
      this.#here = undefined;
      throw error;
    });
    await unlessAborted(this.#here, signal);
  }

  async dispatch(order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> {
    await this.connect(signal);
    return await this.#deps.units.write((unit) => this.#take(unit, order, signal), signal);
  }

  /**
   * An accepted order runs to its end: dropping it half way would leave an inconsistent group. The group's controller
   * sees by itself that the rollout was aborted.
   */
  async cancel(_order: Pick<DeliveryOrder, 'target' | 'deployment' | 'revision'>, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
  }

  /** Passes on the reports of the group controllers. */
  async report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void> {
    await this.connect(signal);
    await this.#deps.observer.observe(
      reports.map((report) => ({ about: 'report', report })),
      signal,
    );
  }

  async preview(order: DeliveryOrder, signal: AbortSignal): Promise<PreviewAnswer> {
    signal.throwIfAborted();
    const wanted = order.kind === 'remove' ? undefined : parseGroupDocuments(order.documents);
    if (wanted?.kind === 'faulty') return { kind: 'wouldReject', message: faultsText(wanted.faults), changes: [] };
    const current = await this.#deps.units.read((unit) => delivered(unit, order.deployment, signal), signal);
    const changes = changesOf(groupDelta(current && digestGroup(current), wanted && digestGroup(wanted.value)));
    return { kind: 'wouldApply', message: `${changes.length} deployments of the group would change`, changes };
  }

  async #take(unit: UnitOfWork, order: DeliveryOrder, signal: AbortSignal): Promise<Acknowledgement> {
    const { deployment: group, revision } = order;
    const record = await unit.groups.find(group, signal);
    if (record !== undefined && record.revision > revision) return { kind: 'fenced', seen: record.revision };
    const taken = order.kind === 'remove' ? leaving(record) : await groupOf(unit, order, signal);
    if (taken.kind === 'rejected') return taken;
    const state = record?.state ?? newGroup(this.#deps.clock.now());
    await unit.groups.put({ group, revision, hash: taken.hash, spec: taken.spec, state }, signal);
    await unit.groups.wake(group, signal);
    return { kind: 'accepted' };
  }

  /** Both are stored together, so that neither is visible without the other. */
  async #introduce(): Promise<void> {
    const { units, clock, observer } = this.#deps;
    // Many callers may wait for it, so no caller's signal may abort it.
    const signal = AbortSignal.timeout(CONNECT_MS);
    const holdings = await units.read((unit) => groupHoldings(unit, clock.now(), signal), signal);
    const target = LOCAL_TARGET_ID;
    await observer.observe(
      [
        { about: 'connection', target, isOnline: true },
        { about: 'inventory', inventory: { target, instance: INSTANCE, holdings } },
      ],
      signal,
    );
  }
}

/** The agent has the group until its last child is gone. */
function leaving(record: GroupRecord | undefined) {
  return { kind: 'taken', hash: record?.hash ?? '', spec: undefined } as const;
}

/**
 * DECISION: the group is read from the stored revision, not from the order. In the order secrets are joined in, and
 * marked values of a child's spec could no longer be recognized.
 */
async function groupOf(unit: UnitOfWork, order: Delivery, signal: AbortSignal) {
  const { deployment, revision, target, hash } = order;
  const kept = (await unit.contents.at({ deployment, revision }, signal)).get(target.id) ?? '';
  const payload = (await unit.contents.find([kept], { withSecrets: false }, signal)).get(kept);
  if (payload === undefined) {
    throw new DeploymentError(
      'STORED_DEPLOYMENT_INVALID',
      `The content of revision ${revision} of deployment ${deployment} is not stored.`,
    );
  }
  const parsed = parseGroupDocuments(payload.documents);
  if (parsed.kind === 'parsed') return { kind: 'taken', hash, spec: parsed.value } as const;
  return { kind: 'rejected', message: `The platform accepts only groups: ${faultsText(parsed.faults)}.` } as const;
}

/** In the form of an order, secrets included. */
async function delivered(
  unit: UnitOfWork,
  group: GroupRecord['group'],
  signal: AbortSignal,
): Promise<DeploymentGroupSpec | undefined> {
  const spec = (await unit.groups.find(group, signal))?.spec;
  if (spec === undefined) return undefined;
  const open = spec as unknown as Json;
  const joined = joinSecrets(open, await unit.contents.openSecrets(referencesIn(open), signal));
  return joined.kind === 'joined' ? (joined.value as unknown as DeploymentGroupSpec) : spec;
}

function changesOf({ creates, patches, renames, deletes, isReordered }: GroupDelta): readonly string[] {
  return [
    ...creates.map(({ name }) => `create ${name}`),
    ...patches.map(({ child, fields }) => `patch ${child.name}: ${fields.join(', ')}`),
    ...renames.map(({ from, to }) => `rename ${from} to ${to}`),
    ...deletes.map((name) => `delete ${name}`),
    ...(isReordered ? ['change the steps'] : []),
  ];
}
