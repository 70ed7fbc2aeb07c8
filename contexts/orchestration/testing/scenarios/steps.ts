import type { ResourceName } from '#kit/std';
import type { UnitOfWork } from '../../application/ports.ts';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import { type StatusChanges, withStatus } from '../../domain/deployment/status/with-status.ts';
import type { Trigger } from '../../domain/deployment/trigger.ts';
import { type Call, type Meanwhile, timeOf, uidOf, type Wanted } from '../deployment-api.ts';

/** A sequence of requests with the same expected results on every database. */
export interface Scenario {
  readonly why: string;
  readonly steps: readonly (Call | Meanwhile)[];
}

export const ALICE: string = 'user:alice';
export const EMEA = '/v1/workspaces/emea/deployments';

export const NOTE = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'note' }, data: { text: 'hello' } };
export const DRAFT = { name: 'web', manifest: { type: 'inline', documents: [NOTE] }, placement: [{ type: 'all' }] };

interface Sent {
  /** `?dryRun=true` */
  readonly query?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export function post({ query = '', ...sent }: Sent, want: Wanted): Call {
  return { call: `POST ${EMEA}${query}`, ...sent, want };
}

export function patch(name: string, { query = '', ...sent }: Sent, want: Wanted): Call {
  return { call: `PATCH ${EMEA}/${name}${query}`, ...sent, want };
}

export function verb(call: string, { query = '', ...sent }: Sent, want: Wanted): Call {
  return { call: `POST ${EMEA}/${call}${query}`, ...sent, want };
}

export function remove(name: string, { query = '', headers = {} }: Sent, want: Wanted): Call {
  return { call: `DELETE ${EMEA}/${name}${query}`, headers, want };
}

/** Creates deployments in emea. */
export function given(...names: readonly string[]): Call[] {
  return names.map((name) => post({ body: { ...DRAFT, name } }, created(name)));
}

export function got(name: string, has: object): Call {
  return { call: `GET ${EMEA}/${name}`, want: { status: 200, has } };
}

export const CREATION = {
  kind: 'spec',
  axes: ['manifest', 'placement', 'rollout'],
  isNew: true,
  by: ALICE,
} as const satisfies Trigger;

export function created(name: string): Wanted {
  return { status: 201, events: [`deployment.created ${name} in emea`], triggers: [CREATION] };
}

/** Expects an update of a deployment in emea. */
export function updated(name: string, ...triggers: readonly Trigger[]): Wanted {
  return { status: 200, events: [`deployment.updated ${name} in emea`], triggers };
}

export function patched(name: string, ...axes: Extract<Trigger, { kind: 'spec' }>['axes']): Wanted {
  return updated(name, { kind: 'spec', axes, by: ALICE });
}

/** Expects a verb to leave the deployment as it is until the pipeline carries it out. */
export function asked(trigger: Trigger): Wanted {
  return { status: 200, triggers: [trigger] };
}

/** Expects a verb to ask for a plan, which the deployment shows until there is one. */
export function planned(trigger: Trigger): Wanted {
  return { ...asked(trigger), events: ['deployment.statusChanged web in emea'], has: { reconciling: true } };
}

export function refused(status: number, code: string, ...faults: readonly string[]): Wanted {
  return { status, problem: { code, ...(faults.length === 0 ? {} : { faults }) } };
}

/** The change that the pipeline makes to a deployment in emea meanwhile. */
export function stands(name: string, changes: StatusChanges): Meanwhile {
  return meanwhile(name, async (unit, deployment, signal) => {
    await unit.deployments.replace(withStatus(deployment, changes, deployment.updateTime + 1), signal);
  });
}

export function meanwhile(
  name: string,
  change: (unit: UnitOfWork, deployment: Deployment, signal: AbortSignal) => Promise<unknown>,
): Meanwhile {
  return {
    meanwhile: async (unit, _, signal) => {
      const deployment = await unit.deployments.find('emea' as ResourceName, name as ResourceName, signal);
      if (deployment === undefined) throw new Error(`there is no deployment ${name}`);
      return await change(unit, deployment, signal);
    },
  };
}

interface Expected extends Readonly<Record<string, unknown>> {
  readonly name: string;
  /** Which create of the scenario made it, if only creates came before. */
  readonly nth?: number;
  /** The step that created it. */
  readonly at?: number;
}

/**
 * A deployment that was just created, except for the given fields. Each create takes ids for itself, its trigger and its
 * event.
 */
export function resource({ nth = 1, at = nth, ...its }: Expected): object {
  const uid = uidOf(nth * 3 - 2);
  return {
    uid,
    workspace: 'emea',
    labels: {},
    manifest: DRAFT.manifest,
    placement: DRAFT.placement,
    rollout: { type: 'immediate' },
    healthRules: [],
    driftPolicy: 'report',
    config: {},
    rolloutState: 'running',
    generation: 1,
    observedGeneration: 0,
    reconciling: true,
    revision: 0,
    conditions: conditionsAt(timeOf(at)),
    status: {
      counts: {
        placed: 0,
        available: 0,
        degraded: 0,
        unknown: 0,
        offline: 0,
        underWay: 0,
        failed: 0,
        leaving: 0,
        drifted: 0,
        ahead: 0,
        progressing: 0,
      },
      placement: { kind: 'unresolved', excluded: [], retained: [], missing: [], held: [], waiting: [] },
    },
    createTime: timeOf(at),
    updateTime: timeOf(at),
    etag: `1-${uid.slice(-12)}`,
    ...its,
  };
}

function conditionsAt(lastTransitionTime: string): object[] {
  const found = [
    ['Placed', 'Unknown', 'Unresolved', 'The placement has not been resolved yet.'],
    ['Planned', 'Unknown', 'NotPlannedYet', 'The latest change is not planned yet.'],
    ['Progressing', 'True', 'NotPlannedYet', 'The latest change is not planned yet.'],
    ['Available', 'Unknown', 'Unresolved', 'The placement has not been resolved yet.'],
    ['Degraded', 'False', 'NoneDegraded', 'No target is known to be degraded.'],
    ['Drifted', 'False', 'NoneDrifted', 'No target is known to differ from what was delivered.'],
    ['Conflict', 'False', 'NoConflict', 'The budget does not block the rollout.'],
    ['Paused', 'False', 'NotPaused', 'The rollout is not paused.'],
  ];
  return found.map(([type, status, reason, message]) => ({
    type,
    status,
    reason,
    message,
    lastTransitionTime,
    observedGeneration: 0,
  }));
}
