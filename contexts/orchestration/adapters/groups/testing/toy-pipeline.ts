import type { Acknowledgement, DeliveryReport, Document } from '#protocol/delivery';
import type { LocalAgent } from '../../../application/groups/local-agent.ts';
import { removeDeployment, saveDeployment } from '../../../application/pipeline/save-deployment.ts';
import type { UnitOfWork, Units } from '../../../application/ports.ts';
import type { Deployment, DeploymentId } from '../../../domain/deployment/deployment.ts';
import { specReferences, unsealSpec } from '../../../domain/deployment/sealed-spec.ts';
import { NO_COUNTS } from '../../../domain/deployment/status/counts-after.ts';
import { withStatus } from '../../../domain/deployment/status/with-status.ts';
import type { RecordedTrigger } from '../../../domain/deployment/trigger.ts';
import type { ChildHealth } from '../../../domain/group/child-view.ts';
import { type ManifestRegistry, parseManifest } from '../../../domain/manifest/manifest-strategy.ts';
import { payloadOf } from '../../../domain/manifest/payload.ts';
import { type Fingerprint, joinSecrets } from '../../../domain/manifest/split-secrets.ts';
import { LOCAL_TARGET_ID } from '../../../domain/target-view.ts';
import { aRevision } from '../../../testing/a-revision.ts';

export interface ToyPipelineDeps {
  readonly units: Units;
  readonly agent: LocalAgent;
  readonly manifests: ManifestRegistry;
  readonly fingerprint: Fingerprint;
}

const TARGET = { id: LOCAL_TARGET_ID, name: 'local', type: 'local' };
const CHILD_HEALTH = {
  Available: 'Healthy',
  Degraded: 'Degraded',
  Unknown: 'Progressing',
  Progressing: 'Progressing',
} as const;
const SURE = { kind: 'sure', excluded: [], retained: [], missing: [], held: [] } as const;
const COUNTS = {
  Healthy: { ...NO_COUNTS, placed: 1, available: 1 },
  Degraded: { ...NO_COUNTS, placed: 1, degraded: 1 },
  Progressing: { ...NO_COUNTS, placed: 1, unknown: 1 },
} as const satisfies Record<ChildHealth, Deployment['status']['counts']>;

/**
 * Plays the pipeline of deployments as far as groups can see it: groups go to the agent, everything else is simulated.
 */
export class ToyPipeline {
  readonly #deps: ToyPipelineDeps;
  /** The agent's reports on groups, newest last. */
  readonly reports: DeliveryReport[] = [];
  /** How many reports get lost before one is taken. */
  deaf = 0;

  constructor(deps: ToyPipelineDeps) {
    this.#deps = deps;
  }

  /** Plans what was requested of a deployment; sends a group to the agent. */
  async roll(uid: DeploymentId, signal: AbortSignal): Promise<Acknowledgement | undefined> {
    const { units, agent } = this.#deps;
    const order = await units.write((unit) => this.#plan(unit, uid, signal), signal);
    return order && (await agent.dispatch(order, signal));
  }

  /** Takes reports for the one target that the platform is. */
  async report(reports: readonly DeliveryReport[], signal: AbortSignal): Promise<void> {
    if (this.deaf > 0) {
      this.deaf -= 1;
      throw new Error('nobody listens');
    }
    this.reports.push(...reports);
    for (const report of reports) {
      await this.#deps.units.write(async (unit) => {
        const { deployment, revision } = report;
        const found = await unit.deployments.get(deployment, signal);
        if (found === undefined || found.revision !== revision) return;
        if (report.kind === 'removed') await removeDeployment(unit, found, signal);
        if (report.kind !== 'health') return;
        const health = CHILD_HEALTH[report.health];
        await setHealth(unit, found, health, signal);
        const at = await unit.revisions.find(deployment, revision, signal);
        if (at === undefined || health !== 'Healthy') return;
        await unit.revisions.replace({ ...at, outcome: 'Succeeded' }, signal);
      }, signal);
    }
  }

  async become(uid: DeploymentId, health: ChildHealth, signal: AbortSignal): Promise<void> {
    await this.#deps.units.write(async (unit) => {
      const found = await unit.deployments.get(uid, signal);
      if (found !== undefined) await setHealth(unit, found, health, signal);
    }, signal);
  }

  async gone(uid: DeploymentId, signal: AbortSignal): Promise<void> {
    await this.#deps.units.write(async (unit) => {
      const found = await unit.deployments.get(uid, signal);
      if (found !== undefined) await removeDeployment(unit, found, signal);
    }, signal);
  }

  async #plan(unit: UnitOfWork, uid: DeploymentId, signal: AbortSignal) {
    const found = await unit.deployments.get(uid, signal);
    const triggers = await unit.triggers.of(uid, signal);
    if (found === undefined || triggers.length === 0) return undefined;
    await unit.triggers.drop(
      triggers.map(({ id }) => id),
      signal,
    );
    const deployment = await rolledBack(unit, found, triggers, signal);
    const revision = deployment.revision + 1;
    const { generation } = deployment;
    const status = { placement: SURE, counts: COUNTS.Progressing };
    const next = withStatus(deployment, { revision, observedGeneration: generation, status }, deployment.updateTime);
    const after = { ...next, version: found.version + 1 };
    await saveDeployment(unit, { before: found, after, events: [], now: after.updateTime }, signal);
    await unit.revisions.insert(aRevision({ deployment: uid, revision, generation, spec: next.spec }), signal);
    const about = { target: TARGET, deployment: uid, revision };
    if (next.spec.placement[0]?.type !== 'local') return undefined;
    return next.deletion === undefined
      ? { ...about, ...(await this.#content(unit, next, signal)) }
      : { ...about, kind: 'remove' as const };
  }

  async #content(unit: UnitOfWork, { uid, name, workspace, revision, spec }: Deployment, signal: AbortSignal) {
    const { manifests, fingerprint } = this.#deps;
    const unsealed = unsealSpec(spec, await unit.contents.openSecrets(specReferences(spec), signal));
    const parsed = parseManifest(unsealed.manifest, '', manifests);
    if (parsed.kind === 'faulty') throw new Error(JSON.stringify(parsed.faults));
    const context = {
      target: unit.pool.local,
      deployment: { uid, name, workspace: workspace.name },
      revision,
      namespace: undefined,
      config: {},
      speculative: false,
      idempotencyKey: '',
    };
    const generated = await parsed.value.generate(context, signal);
    if (generated.kind === 'failed') throw new Error(JSON.stringify(generated.faults));
    const payload = payloadOf(generated.documents, fingerprint);
    await unit.contents.keep([payload], signal);
    await unit.contents.assign({ deployment: uid, revision }, new Map([[LOCAL_TARGET_ID, payload.hash]]), signal);
    const joined = joinSecrets(payload.documents as Document[], payload.secrets);
    const documents = joined.kind === 'joined' ? joined.value : [];
    return {
      kind: 'deliver',
      hash: payload.hash,
      documents,
      healthRules: [],
      driftPolicy: 'report',
      secretPlaces: [],
    } as const;
  }
}

async function setHealth(
  unit: UnitOfWork,
  deployment: Deployment,
  health: ChildHealth,
  signal: AbortSignal,
): Promise<void> {
  const next = withStatus(deployment, { status: { counts: COUNTS[health] } }, deployment.updateTime);
  await saveDeployment(unit, { before: deployment, after: next, events: [], now: next.updateTime }, signal);
}

async function rolledBack(
  unit: UnitOfWork,
  deployment: Deployment,
  triggers: readonly RecordedTrigger[],
  signal: AbortSignal,
): Promise<Deployment> {
  const asked = triggers.map(({ trigger }) => trigger).find(({ kind }) => kind === 'rollback');
  if (asked?.kind !== 'rollback') return deployment;
  const revision = await unit.revisions.find(deployment.uid, asked.to, signal);
  if (revision === undefined) throw new Error(`there is no revision ${asked.to}`);
  return { ...deployment, spec: revision.spec, generation: deployment.generation + 1 };
}
