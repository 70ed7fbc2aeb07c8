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
import { FieldChangeSchema, TargetDiffSchema } from './diff-schema.ts';
import { nameField } from './resource-fields.ts';

const time = (description: string) => Type.String({ format: 'date-time', description });
const count = (description: string) => Type.Integer({ minimum: 0, description });
const revisionField = (description: string) => Type.Integer({ minimum: 1, description });

export const RevisionParamsSchema = Type.Object({
  workspace: nameField('The workspace that the deployment is in.'),
  deployment: nameField('The name of the deployment.'),
  revision: revisionField('The number of the revision.'),
});

const SUMMARY = {
  revision: revisionField('Increases with every rollout.'),
  generation: Type.Integer({
    minimum: 1,
    description: 'The generation of the deployment when the rollout was planned.',
  }),
  trigger: Type.String({ description: 'A readable cause of the rollout.' }),
  requestedBy: Type.String({ description: 'The subject or component that requested the rollout, as `kind:id`.' }),
  rollbackTo: Type.Optional(revisionField('The revision whose content was delivered again.')),
  paced: Type.Boolean({
    description: 'False for a rollback that went to all targets at once, regardless of the budget.',
  }),
  contentHash: Type.String({
    description:
      'Equal for revisions with the same content: manifest, config, namespace, health rules and drift policy. A rollback between them changes nothing.',
  }),
  createTime: time('When it was planned.'),
  endTime: Type.Optional(time('When it ended.')),
  outcome: Type.Optional(Type.Enum(['Succeeded', 'Superseded', 'Aborted', 'RolledBack'])),
  message: Type.Optional(Type.String({ description: 'A readable detail of the outcome.' })),
};

export const RevisionSummarySchema = Type.Object(SUMMARY, {
  title: 'RevisionSummary',
  description: 'A rollout, its cause and its outcome. Without an outcome it is in progress.',
});

const SpecSchema = Type.Object(
  {
    manifest: ManifestSchema,
    placement: PlacementsSchema,
    rollout: RolloutSchema,
    healthRules: HealthRulesSchema,
    driftPolicy: DriftPolicySchema,
    namespace: Type.Optional(NamespaceSchema),
    config: ConfigSchema,
  },
  { title: 'RevisionSpec', description: 'The desired state of this revision. Secrets are masked.' },
);

const StepSchema = Type.Object({
  name: Type.String(),
  deliver: count('The number of targets that the step delivers to.'),
  remove: count('The number of targets that the step removes the content from.'),
});

export const RevisionSchema = Type.Object(
  {
    ...SUMMARY,
    spec: SpecSchema,
    plan: Type.Optional(
      Type.Object(
        {
          steps: Type.Array(StepSchema),
          deliver: count('The number of targets to deliver to.'),
          remove: count('The number of targets to remove the content from.'),
          current: count('The number of targets that already had the content.'),
        },
        { title: 'PlanSummary', description: 'The original plan.' },
      ),
    ),
  },
  { title: 'Revision' },
);

export const RevisionDiffQuerySchema = Type.Object({
  against: Type.Optional(revisionField('The revision to compare with; defaults to the previous one.')),
  target: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: 'Only this target: its name or uid.' }),
  ),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: 'The maximum number of targets; default 50.' }),
  ),
  pageToken: Type.Optional(Type.String({ minLength: 1, description: 'The `nextPageToken` of the previous page.' })),
});

export const RevisionDiffSchema = Type.Object(
  {
    revision: revisionField('The revision that is compared.'),
    against: Type.Optional(
      revisionField('The revision that it is compared with; absent when there is no earlier one.'),
    ),
    spec: Type.Array(FieldChangeSchema),
    counts: Type.Object(
      { added: count(''), removed: count(''), changed: count(''), unchanged: count('') },
      { description: 'Counts over all targets.' },
    ),
    targets: Type.Array(TargetDiffSchema, { description: 'Targets that differ, sorted by name.' }),
    nextPageToken: Type.Optional(Type.String({ description: 'Present when there are more targets.' })),
  },
  { title: 'RevisionDiff' },
);

export const TimelineQuerySchema = Type.Object({
  target: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: 'Only events of this target: its name or uid.' }),
  ),
});

export const TimelineEntrySchema = Type.Object(
  {
    turn: count('Entries with the same number happened together.'),
    place: count('The position among entries of the same turn.'),
    time: time('When.'),
    kind: Type.String({ description: 'A machine-readable kind, in one word.' }),
    message: Type.String({ description: 'A readable description.' }),
    count: count('The number of targets concerned; 0 when the entry is about the whole rollout.'),
    targets: Type.Array(Type.String(), { description: 'The names of the first of those targets.' }),
  },
  { title: 'TimelineEntry' },
);

export type RevisionSummaryResource = Static<typeof RevisionSummarySchema>;
export type RevisionResource = Static<typeof RevisionSchema>;
export type RevisionDiffResource = Static<typeof RevisionDiffSchema>;
export type TimelineEntryResource = Static<typeof TimelineEntrySchema>;
