import { type Static, Type } from 'typebox';
import {
  ConfigSchema,
  DriftPolicySchema,
  HealthRulesSchema,
  ManifestSchema,
  NamespaceSchema,
  PlacementsSchema,
  RolloutSchema,
} from './deployment-spec-schema.ts';
import { DeploymentStatusSchema } from './deployment-status-schema.ts';
import { labelsField, labelsPatchField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';
import { ConditionSchema } from './target-schema.ts';

const rolloutStateField = () =>
  Type.Enum(['running', 'paused'], {
    description: 'While `paused` nothing new begins; what is under way comes to its end.',
  });

/**
 * DECISION: answers describe these by their `type` alone. What was taken by the schema of the request is not looked at
 * again on its way out: a dozen routes would compile the same unions, and each answer be compared with all of them.
 */
const asSent = (what: string) =>
  Type.Unsafe<{ type: string; [field: string]: unknown }>(
    Type.Object(
      { type: Type.String() },
      { additionalProperties: true, description: `As it was sent, see \`${what}\`. Secrets are masked.` },
    ),
  );

const time = (description: string) => Type.String({ format: 'date-time', description });

export const DeploymentsParamsSchema = Type.Object({ workspace: nameField('The workspace that they are in.') });

export const DeploymentParamsSchema = Type.Object({
  workspace: nameField('The workspace that it is in.'),
  deployment: nameField('The name of the deployment.'),
});

export const DeploymentListQuerySchema = Type.Object({
  subtree: Type.Optional(Type.Boolean({ description: 'Those of the workspaces below as well.' })),
});

export const DeploymentSchema = Type.Object(
  {
    name: nameField('Unique in its workspace, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The one workspace that it is in: its targets are those below.'),
    labels: labelsField(),
    manifest: asSent('Manifest'),
    placement: Type.Array(asSent('Placement')),
    rollout: asSent('Rollout'),
    healthRules: HealthRulesSchema,
    driftPolicy: DriftPolicySchema,
    namespace: Type.Optional(NamespaceSchema),
    config: ConfigSchema,
    rolloutState: rolloutStateField(),
    owner: Type.Optional(
      Type.Object(
        {
          group: Type.String({ format: 'uuid', description: 'The uid of the group.' }),
          child: nameField('What it is called in the group.'),
        },
        { description: 'The group that made it: to change it, change the group.' },
      ),
    ),
    deleteTime: Type.Optional(time('Since when it is being taken off its targets. Then it is gone.')),
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    reconciling: Type.Boolean({ description: 'Whether something is under way: a plan, a rollout, the end of it.' }),
    revision: Type.Integer({ minimum: 0, description: 'Of the last rollout; 0 before the first.' }),
    conditions: Type.Array(ConditionSchema, {
      description: 'Placed, Planned, Progressing, Available, Degraded, Conflict, Paused.',
    }),
    status: DeploymentStatusSchema,
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Deployment', description: 'What to deploy, where, and how. Secrets are masked.' },
);

const wishes = {
  labels: Type.Optional(labelsField()),
  manifest: ManifestSchema,
  placement: Type.Optional(PlacementsSchema),
  rollout: Type.Optional(RolloutSchema),
  healthRules: Type.Optional(HealthRulesSchema),
  driftPolicy: Type.Optional(DriftPolicySchema),
  namespace: Type.Optional(NamespaceSchema),
  config: Type.Optional(ConfigSchema),
  rolloutState: Type.Optional(rolloutStateField()),
};

export const NewDeploymentSchema = Type.Object(
  { name: nameField('Unique in its workspace, and never changed.'), ...wishes },
  {
    title: 'NewDeployment',
    description: 'Left out, `rollout` is `immediate`; `placement` can be left out of a group alone, which is local.',
  },
);

/** What a deployment comes to after a patch, and each child of a group at any depth. */
export const DeploymentDraftSchema = Type.Object(
  { name: Type.Optional(nameField('Of a child, its short name.')), ...wishes },
  { title: 'DeploymentDraft' },
);

const mergePatch = (what: string) =>
  Type.Record(Type.String(), Type.Unknown(), {
    description: `Merged into the ${what} at every level; lists are replaced. With another \`type\` it replaces it.`,
  });

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

export const DeploymentPatchSchema = Type.Object(
  {
    labels: Type.Optional(labelsPatchField()),
    manifest: Type.Optional(mergePatch('manifest')),
    placement: orNull(PlacementsSchema, 'Replaced as a whole; null is what a new one would have.'),
    rollout: orNull(mergePatch('rollout'), 'null is what a new one would have.'),
    healthRules: orNull(HealthRulesSchema, 'Replaced as a whole; null removes all.'),
    driftPolicy: orNull(DriftPolicySchema, 'null is what a new one would have.'),
    namespace: orNull(NamespaceSchema, 'null removes it.'),
    config: orNull(mergePatch('config'), 'null removes all of it.'),
    rolloutState: Type.Optional(rolloutStateField()),
  },
  {
    title: 'DeploymentPatch',
    description: 'A JSON merge patch (RFC 7396): what is absent stays as it is. A masked secret cannot be sent back.',
  },
);

const targetNames = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 63 }), { minItems: 1, maxItems: 10_000, description }));

export const RollbackSchema = Type.Object(
  {
    revision: Type.Integer({ minimum: 1, description: 'The one to go back to.' }),
    paced: Type.Optional(
      Type.Boolean({ description: 'By the rollout strategy. Otherwise to all at once, whatever the budget says.' }),
    ),
  },
  { title: 'Rollback' },
);

export const RetrySchema = Type.Object(
  { targets: targetNames('Names or uids of those to try again; all that failed unless told.') },
  { title: 'Retry' },
);

export const ConfirmRemovalSchema = Type.Object(
  { targets: targetNames('Names or uids of those that may go; all that are held unless told.') },
  { title: 'ConfirmRemoval' },
);

export const AcceptRevisionSchema = Type.Object(
  { targets: targetNames('Names or uids of those whose revision is accepted; all that are ahead unless told.') },
  { title: 'AcceptRevision' },
);

export type DeploymentResource = Static<typeof DeploymentSchema>;
export type NewDeploymentRequest = Static<typeof NewDeploymentSchema>;
