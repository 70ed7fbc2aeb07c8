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
    description: 'While `paused` nothing new starts; work in progress completes.',
  });

/**
 * DECISION: responses describe these fields by `type` alone. The request schema has already validated them; validating
 * the response too would make a dozen routes compile the same unions and match every response against all of them.
 */
const asSent = (what: string) =>
  Type.Unsafe<{ type: string; [field: string]: unknown }>(
    Type.Object(
      { type: Type.String() },
      { additionalProperties: true, description: `As it was sent; see \`${what}\`. Secrets are masked.` },
    ),
  );

const time = (description: string) => Type.String({ format: 'date-time', description });

export const DeploymentsParamsSchema = Type.Object({ workspace: nameField('The workspace of the deployments.') });

export const DeploymentParamsSchema = Type.Object({
  workspace: nameField('The workspace of the deployment.'),
  deployment: nameField('The name of the deployment.'),
});

export const DeploymentListQuerySchema = Type.Object({
  subtree: Type.Optional(Type.Boolean({ description: 'Include deployments of the workspaces below.' })),
});

export const DeploymentSchema = Type.Object(
  {
    name: nameField('Unique in its workspace. Immutable.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The workspace of the deployment. Its targets are in this workspace or below it.'),
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
          child: nameField('The name of the deployment inside the group.'),
        },
        { description: 'The group that created the deployment. To change the deployment, change the group.' },
      ),
    ),
    deleteTime: Type.Optional(
      time('When deletion was requested. The deployment disappears once it is removed from all targets.'),
    ),
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    reconciling: Type.Boolean({ description: 'Whether planning, a rollout, or its deletion is in progress.' }),
    revision: Type.Integer({ minimum: 0, description: 'The revision of the last rollout; 0 before the first.' }),
    conditions: Type.Array(ConditionSchema, {
      description: 'Placed, Planned, Progressing, Available, Degraded, Conflict, Paused.',
    }),
    status: DeploymentStatusSchema,
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Deployment', description: 'Defines what to deploy, where, and how. Secrets are masked.' },
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
  { name: nameField('Unique in its workspace. Immutable.'), ...wishes },
  {
    title: 'NewDeployment',
    description: '`rollout` defaults to `immediate`. Only a group may omit `placement`; it is then placed locally.',
  },
);

/** A deployment after a patch is applied, or a child of a group at any depth. */
export const DeploymentDraftSchema = Type.Object(
  { name: Type.Optional(nameField('For a child, its short name.')), ...wishes },
  { title: 'DeploymentDraft' },
);

const mergePatch = (what: string) =>
  Type.Record(Type.String(), Type.Unknown(), {
    description: `Merged into the ${what} at every level; lists are replaced. A different \`type\` replaces the whole value.`,
  });

const orNull = <Schema extends Parameters<typeof Type.Union>[0][number]>(schema: Schema, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { description }));

export const DeploymentPatchSchema = Type.Object(
  {
    labels: Type.Optional(labelsPatchField()),
    manifest: Type.Optional(mergePatch('manifest')),
    placement: orNull(PlacementsSchema, 'Replaced as a whole; null restores the default.'),
    rollout: orNull(mergePatch('rollout'), 'null restores the default.'),
    healthRules: orNull(HealthRulesSchema, 'Replaced as a whole; null removes all rules.'),
    driftPolicy: orNull(DriftPolicySchema, 'null restores the default.'),
    namespace: orNull(NamespaceSchema, 'null removes it.'),
    config: orNull(mergePatch('config'), 'null removes the whole object.'),
    rolloutState: Type.Optional(rolloutStateField()),
  },
  {
    title: 'DeploymentPatch',
    description: 'A JSON merge patch (RFC 7396). Absent fields stay unchanged. A masked secret cannot be sent back.',
  },
);

const targetNames = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 63 }), { minItems: 1, maxItems: 10_000, description }));

export const RollbackSchema = Type.Object(
  {
    revision: Type.Integer({ minimum: 1, description: 'The revision to go back to.' }),
    paced: Type.Optional(
      Type.Boolean({
        description:
          'Follow the rollout strategy. By default a rollback goes to all targets at once, regardless of the budget.',
      }),
    ),
  },
  { title: 'Rollback' },
);

export const RetrySchema = Type.Object(
  { targets: targetNames('Names or uids of the targets to retry; defaults to all that failed.') },
  { title: 'Retry' },
);

export const ConfirmRemovalSchema = Type.Object(
  { targets: targetNames('Names or uids of the targets to remove; defaults to all that are held.') },
  { title: 'ConfirmRemoval' },
);

export const AcceptRevisionSchema = Type.Object(
  { targets: targetNames('Names or uids of the targets whose revision to accept; defaults to all that are ahead.') },
  { title: 'AcceptRevision' },
);

export type DeploymentResource = Static<typeof DeploymentSchema>;
export type NewDeploymentRequest = Static<typeof NewDeploymentSchema>;
