import { type Static, Type } from 'typebox';

const time = (description: string) => Type.String({ format: 'date-time', description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const target = () => Type.String({ description: 'A target, by name or uid.' });

const ExplainedTargetSchema = Type.Object({
  id: Type.String({ description: 'The uid of the target.' }),
  why: Type.String({ description: 'A machine-readable reason, in one word.' }),
  message: Type.String(),
});

const WaitingTargetSchema = Type.Object({
  ...ExplainedTargetSchema.properties,
  name: Type.String({ description: 'The name of the target.' }),
});

const PlacementStatusSchema = Type.Object(
  {
    kind: Type.Enum(['unresolved', 'sure', 'unsure'], {
      description: 'While `unsure`, targets that have the deployment keep it.',
    }),
    why: Type.Optional(Type.String({ description: 'Why it is unsure.' })),
    excluded: Type.Array(ExplainedTargetSchema, {
      description: 'Targets that are not placed although they were, or although the placement matches them.',
    }),
    retained: Type.Array(ExplainedTargetSchema, {
      description: 'Targets that stay placed only because they already were.',
    }),
    missing: Type.Array(Type.String(), {
      description: 'Targets that a placement names and the workspace does not have.',
    }),
    held: Type.Array(ExplainedTargetSchema, { description: 'Targets whose removal waits for `:confirmRemoval`.' }),
    waiting: Type.Optional(
      Type.Array(WaitingTargetSchema, {
        description: 'Targets that get the deployment once targets in `held` have lost it.',
      }),
    ),
  },
  { title: 'PlacementStatus' },
);

const CountsSchema = Type.Object(
  {
    placed: count('Targets that should have the deployment.'),
    available: count('Placed targets that have the desired content and are available.'),
    degraded: count('Placed targets that are degraded.'),
    progressing: Type.Optional(
      count('Placed targets that are on their way: not available yet, and nothing has failed.'),
    ),
    unknown: count('Placed targets whose health was not reported since they changed or reconnected.'),
    offline: count('Placed targets that are offline.'),
    underWay: count('Targets with an order in progress.'),
    failed: count('Targets on which the last change failed.'),
    leaving: count('Targets that the deployment is being removed from.'),
    drifted: count('Targets on which something was changed outside of the platform.'),
    ahead: count('Targets whose agent has seen a later revision than the platform sent; see `:acceptRevision`.'),
  },
  { title: 'TargetCounts' },
);

const WaitSchema = Type.Object(
  {
    kind: Type.Enum(['start', 'resume', 'gate', 'targets', 'offline', 'budget', 'conflict']),
    since: time('Since when.'),
    message: Type.String({ description: 'A readable description of the wait.' }),
    unblock: Type.String({ description: 'The event or action that ends the wait.' }),
    until: Type.Optional(time('When the wait ends in any case.')),
    gate: Type.Optional(Type.String({ description: 'The id of the gate.' })),
    count: Type.Optional(count('The number of targets concerned.')),
    targets: Type.Optional(Type.Array(target(), { description: 'The first of those targets.' })),
  },
  { title: 'RolloutWait' },
);

const StepSchema = Type.Object(
  {
    name: Type.String(),
    fate: Type.Enum(['ahead', 'open', 'passed', 'cleared']),
    targets: count('Targets in the step.'),
    done: count('Targets of the step that are done.'),
    failed: count('Targets of the step that failed.'),
    underWay: count('Targets of the step with work in progress.'),
    gate: Type.Optional(
      Type.Object(
        { id: Type.String(), type: Type.String(), since: time('When it was opened.') },
        {
          description: 'The gate that the rollout is at.',
        },
      ),
    ),
  },
  { title: 'RolloutStep' },
);

const RolloutStatusSchema = Type.Object(
  {
    revision: count('The revision that is rolled out.'),
    phase: Type.Enum(['Planned', 'Running', 'Paused', 'Finished']),
    since: time('When the phase began.'),
    startTime: time('When it was planned.'),
    reason: Type.Optional(Type.String({ description: 'Why it is paused; a machine-readable reason, in one word.' })),
    outcome: Type.Optional(Type.Enum(['Succeeded', 'Superseded', 'Aborted', 'RolledBack'])),
    message: Type.Optional(Type.String()),
    requestedBy: Type.String({ description: 'The subject or component that requested the rollout.' }),
    trigger: Type.String({ description: 'The cause of the rollout.' }),
    steps: Type.Array(StepSchema),
    waits: Type.Array(WaitSchema, { description: 'The current waits; empty only when the rollout is finished.' }),
  },
  { title: 'RolloutStatus' },
);

export const DeploymentStatusSchema = Type.Object(
  {
    counts: CountsSchema,
    placement: PlacementStatusSchema,
    rollout: Type.Optional(RolloutStatusSchema),
    blocked: Type.Optional(
      Type.Object(
        { reason: Type.String(), message: Type.String(), since: time('Since when.') },
        {
          description: 'Why no rollout can be planned.',
        },
      ),
    ),
  },
  { title: 'DeploymentStatus' },
);

/** A deployment on one target. */
export const DeploymentTargetSchema = Type.Object(
  {
    target: Type.String({ description: 'The name of the target.' }),
    uid: Type.String({ description: 'The uid of the target.' }),
    type: Type.String(),
    placed: Type.Boolean({
      description: 'Whether the target should have the deployment. If false, the deployment is being removed from it.',
    }),
    online: Type.Boolean(),
    applied: Type.Optional(
      Type.Object(
        { revision: count('The revision of the content.'), hash: Type.String() },
        { description: 'The content on the target.' },
      ),
    ),
    order: Type.Optional(
      Type.Object(
        {
          kind: Type.Enum(['deliver', 'remove']),
          revision: count('The revision of the rollout that sent the order.'),
          state: Type.Enum(['queued', 'sent', 'accepted']),
          since: time('Since when.'),
        },
        { description: 'The order in progress, until it completes.' },
      ),
    ),
    failure: Type.Optional(
      Type.Object({ reason: Type.String(), message: Type.String(), revision: count('The revision of the rollout.') }),
    ),
    health: Type.Object({
      status: Type.Enum(['Available', 'Degraded', 'Unknown', 'Progressing'], {
        description: '`Progressing` is on its way and not available; `Unknown` was not reported, or cannot be told.',
      }),
      revision: count('The revision that the health was reported for; 0 when none was.'),
      message: Type.String(),
    }),
    owed: Type.Boolean({ description: 'Whether the target missed an update, which it gets when it is back.' }),
    drift: Type.Array(Type.String(), { description: 'Documents that differ from what was delivered.' }),
    updateTime: time('When any of these fields last changed.'),
  },
  { title: 'DeploymentTarget' },
);

export type DeploymentStatusResource = Static<typeof DeploymentStatusSchema>;
export type DeploymentTargetResource = Static<typeof DeploymentTargetSchema>;
