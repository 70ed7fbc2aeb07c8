import { type Static, Type } from 'typebox';

const time = (description: string) => Type.String({ format: 'date-time', description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const target = () => Type.String({ description: 'A target, by name or uid.' });

const ExplainedTargetSchema = Type.Object({
  id: Type.String({ description: 'The uid of the target.' }),
  why: Type.String({ description: 'In one word for programs.' }),
  message: Type.String(),
});

const PlacementStatusSchema = Type.Object(
  {
    kind: Type.Enum(['unresolved', 'sure', 'unsure'], {
      description: 'While it is `unsure` those that have it keep it.',
    }),
    why: Type.Optional(Type.String({ description: 'Why it is unsure.' })),
    excluded: Type.Array(ExplainedTargetSchema, { description: 'Not placed, though they were or would be.' }),
    retained: Type.Array(ExplainedTargetSchema, { description: 'Placed only since they are already.' }),
    missing: Type.Array(Type.String(), { description: 'What a placement names and the workspace does not have.' }),
    held: Type.Array(ExplainedTargetSchema, { description: 'They would lose it, and wait for `:confirmRemoval`.' }),
  },
  { title: 'PlacementStatus' },
);

const CountsSchema = Type.Object(
  {
    placed: count('That are to have it.'),
    available: count('Of those: that have what they should, and are available.'),
    degraded: count('Of those placed.'),
    unknown: count('Of those placed: whose health nobody has told since they changed or came back.'),
    offline: count('Of those placed.'),
    underWay: count('That were asked for something which has not come to its end.'),
    failed: count('On which the last change did not succeed.'),
    leaving: count('That lose it.'),
    drifted: count('On which something was changed by somebody else.'),
    ahead: count('Whose agent has seen a later revision than was given: see `:acceptRevision`.'),
  },
  { title: 'TargetCounts' },
);

const WaitSchema = Type.Object(
  {
    kind: Type.Enum(['start', 'resume', 'gate', 'targets', 'offline', 'budget', 'conflict']),
    since: time('Since when.'),
    message: Type.String({ description: 'For what.' }),
    unblock: Type.String({ description: 'What would let it go on.' }),
    until: Type.Optional(time('When it stops waiting, whatever happens.')),
    gate: Type.Optional(Type.String({ description: 'The gate, by its id.' })),
    count: Type.Optional(count('How many targets it is about.')),
    targets: Type.Optional(Type.Array(target(), { description: 'The first of them.' })),
  },
  { title: 'RolloutWait' },
);

const StepSchema = Type.Object(
  {
    name: Type.String(),
    fate: Type.Enum(['ahead', 'open', 'passed', 'cleared']),
    targets: count('In the step.'),
    done: count('Of those.'),
    failed: count('Of those.'),
    underWay: count('Of those.'),
    gate: Type.Optional(
      Type.Object(
        { id: Type.String(), type: Type.String(), since: time('When it was opened.') },
        {
          description: 'The gate that it stands at.',
        },
      ),
    ),
  },
  { title: 'RolloutStep' },
);

const RolloutStatusSchema = Type.Object(
  {
    revision: count('That is rolled out.'),
    phase: Type.Enum(['Planned', 'Running', 'Paused', 'Finished']),
    since: time('Since when it is in that phase.'),
    startTime: time('When it was planned.'),
    reason: Type.Optional(Type.String({ description: 'Why it is paused, in one word for programs.' })),
    outcome: Type.Optional(Type.Enum(['Succeeded', 'Superseded', 'Aborted', 'RolledBack'])),
    message: Type.Optional(Type.String()),
    requestedBy: Type.String({ description: 'Who or what asked for it.' }),
    trigger: Type.String({ description: 'What made it necessary.' }),
    steps: Type.Array(StepSchema),
    waits: Type.Array(WaitSchema, { description: 'What it waits for; never empty unless it is finished.' }),
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
    placed: Type.Boolean({ description: 'Whether it is to have the deployment. Otherwise it is losing it.' }),
    online: Type.Boolean(),
    applied: Type.Optional(
      Type.Object({ revision: count('Of the content.'), hash: Type.String() }, { description: 'What it has.' }),
    ),
    order: Type.Optional(
      Type.Object(
        {
          kind: Type.Enum(['deliver', 'remove']),
          revision: count('Of the rollout that asks for it.'),
          state: Type.Enum(['queued', 'sent', 'accepted']),
          since: time('Since when.'),
        },
        { description: 'What it is asked for, until that comes to its end.' },
      ),
    ),
    failure: Type.Optional(
      Type.Object({ reason: Type.String(), message: Type.String(), revision: count('Of the rollout.') }),
    ),
    health: Type.Object({
      status: Type.Enum(['Available', 'Degraded', 'Unknown']),
      revision: count('That it was reported for; 0 when none was.'),
      message: Type.String(),
    }),
    owed: Type.Boolean({ description: 'Whether it did not get what it should, and gets it when it is back.' }),
    drift: Type.Array(Type.String(), { description: 'What is not as it was delivered.' }),
    updateTime: time('When anything of it last changed.'),
  },
  { title: 'DeploymentTarget' },
);

export type DeploymentStatusResource = Static<typeof DeploymentStatusSchema>;
export type DeploymentTargetResource = Static<typeof DeploymentTargetSchema>;
