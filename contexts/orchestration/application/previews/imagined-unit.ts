import type { Json } from '#kit/std';
import type { Deployment } from '../../domain/deployment/deployment.ts';
import type { RecordedTrigger } from '../../domain/deployment/trigger.ts';
import type { ContentStore, DeploymentStore, GroupStore, RolloutStore, TriggerStore, UnitOfWork } from '../ports.ts';

/**
 * The same state, plus writes that only this unit sees. So a previewed command passes the same checks as a real one, on a
 * snapshot that cannot be written to.
 */
export function imaginedUnit(unit: UnitOfWork): UnitOfWork {
  return {
    ...unit,
    deployments: imaginedDeployments(unit.deployments),
    triggers: imaginedTriggers(unit.triggers),
    contents: imaginedContents(unit.contents),
    rollouts: deafRollouts(unit.rollouts),
    watches: { put: nothing, drop: nothing, dropAll: nothing, on: async () => [] },
    groups: imaginedGroups(unit.groups),
    authors: { add: nothing, of: (uid, signal) => unit.authors.of(uid, signal), approved: nothing, succeeded: nothing },
    events: { append: async () => {} },
  };
}

function imaginedDeployments(real: DeploymentStore): DeploymentStore {
  const written = new Map<string, Deployment>();
  const put = async (deployment: Deployment): Promise<void> => {
    written.set(deployment.uid, deployment);
  };
  const seen = (deployment: Deployment): Deployment => written.get(deployment.uid) ?? deployment;
  const own = (is: (deployment: Deployment) => boolean) => [...written.values()].find(is);
  return {
    find: async (workspace, name, signal) =>
      own((each) => each.workspace.name === workspace && each.name === name) ??
      (await real.find(workspace, name, signal)),
    get: async (uid, signal) => written.get(uid) ?? (await real.get(uid, signal)),
    getAll: async (uids, signal) => (await real.getAll(uids, signal)).map(seen),
    childrenOf: async (group, signal) => (await real.childrenOf(group, signal)).map(seen),
    inWorkspaces: async (paths, signal) => (await real.inWorkspaces(paths, signal)).map(seen),
    insert: put,
    replace: put,
    remove: nothing,
    blocked: (signal) => real.blocked(signal),
    wake: nothing,
    hear: nothing,
    isUnderWay: async () => false,
    rest: async () => false,
  };
}

function imaginedTriggers(real: TriggerStore): TriggerStore {
  const added: (RecordedTrigger & { readonly deployment: string })[] = [];
  return {
    add: async (deployment, triggers, now) => {
      added.push(...triggers.map((trigger) => ({ id: '', time: now, trigger, deployment })));
    },
    of: async (deployment, signal) => [
      ...(await real.of(deployment, signal)),
      ...added.filter((each) => each.deployment === deployment),
    ],
    drop: nothing,
  };
}

function imaginedContents(real: ContentStore): ContentStore {
  const secrets = new Map<string, Json>();
  return {
    keep: nothing,
    find: (hashes, options, signal) => real.find(hashes, options, signal),
    assign: nothing,
    at: (rollout, signal) => real.at(rollout, signal),
    referencesOn: (given, signal) => real.referencesOn(given, signal),
    keepSecrets: async (kept) => {
      for (const [reference, secret] of Object.entries(kept)) secrets.set(reference, secret);
    },
    openSecrets: async (references, signal) => {
      const own = references.filter((reference) => secrets.has(reference));
      const others = references.filter((reference) => !secrets.has(reference));
      const opened = others.length === 0 ? {} : await real.openSecrets(others, signal);
      return { ...opened, ...Object.fromEntries(own.map((reference) => [reference, secrets.get(reference) ?? null])) };
    },
  };
}

/** No group is told of what is only imagined. */
function imaginedGroups(real: GroupStore): GroupStore {
  return {
    find: (group, signal) => real.find(group, signal),
    all: (signal) => real.all(signal),
    put: nothing,
    drop: nothing,
    wake: nothing,
    hear: nothing,
    rest: async () => false,
    renameChild: nothing,
  };
}

function deafRollouts(real: RolloutStore): RolloutStore {
  return {
    begin: nothing,
    opening: (rollout, signal) => real.opening(rollout, signal),
    appendTurn: nothing,
    turnsAfter: (rollout, turn, signal) => real.turnsAfter(rollout, turn, signal),
    snapshot: (rollout, signal) => real.snapshot(rollout, signal),
    putSnapshot: nothing,
    post: nothing,
    take: async () => [],
    end: nothing,
  };
}

async function nothing(): Promise<void> {}
