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
  revision: revisionField('Grows from rollout to rollout.'),
  generation: Type.Integer({ minimum: 1, description: 'Of the deployment when it was planned.' }),
  trigger: Type.String({ description: 'What made it necessary, for people.' }),
  requestedBy: Type.String({ description: 'Who or what asked for it, as `kind:id`.' }),
  rollbackTo: Type.Optional(revisionField('The content is what this one delivered.')),
  paced: Type.Boolean({ description: 'False of a rollback that went to all at once, whatever the budget says.' }),
  createTime: time('When it was planned.'),
  endTime: Type.Optional(time('When it was over.')),
  outcome: Type.Optional(Type.Enum(['Succeeded', 'Superseded', 'Aborted', 'RolledBack'])),
  message: Type.Optional(Type.String({ description: 'More on the outcome, for people.' })),
};

export const RevisionSummarySchema = Type.Object(SUMMARY, {
  title: 'RevisionSummary',
  description: 'One rollout: why, and what became of it. Without an outcome it is under way.',
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
  { title: 'RevisionSpec', description: 'What was asked for. Secrets are masked.' },
);

const StepSchema = Type.Object({
  name: Type.String(),
  deliver: count('How many targets it brings the content to.'),
  remove: count('How many targets it takes the content off.'),
});

export const RevisionSchema = Type.Object(
  {
    ...SUMMARY,
    spec: SpecSchema,
    plan: Type.Optional(
      Type.Object(
        {
          steps: Type.Array(StepSchema),
          deliver: count('How many targets were to get the content.'),
          remove: count('How many were to lose it.'),
          current: count('How many had it already.'),
        },
        { title: 'PlanSummary', description: 'As it was planned at first.' },
      ),
    ),
  },
  { title: 'Revision' },
);

export const RevisionDiffQuerySchema = Type.Object({
  against: Type.Optional(revisionField('The revision to compare with; the one before unless told.')),
  target: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: 'Only this target: its name or uid.' }),
  ),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 200, description: 'At most so many targets; 50 unless told.' }),
  ),
  pageToken: Type.Optional(Type.String({ minLength: 1, description: 'The `nextPageToken` of the page before.' })),
});

export const RevisionDiffSchema = Type.Object(
  {
    revision: revisionField('The later one, unless asked otherwise.'),
    against: Type.Optional(revisionField('What it is compared with; absent when there is none before it.')),
    spec: Type.Array(FieldChangeSchema),
    counts: Type.Object(
      { added: count(''), removed: count(''), changed: count(''), unchanged: count('') },
      { description: 'Of all targets.' },
    ),
    targets: Type.Array(TargetDiffSchema, { description: 'Those that differ, in the order of names.' }),
    nextPageToken: Type.Optional(Type.String({ description: 'Present when there are more targets.' })),
  },
  { title: 'RevisionDiff' },
);

export const TimelineQuerySchema = Type.Object({
  target: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: 'Only what happened to this target: its name or uid.' }),
  ),
});

export const TimelineEntrySchema = Type.Object(
  {
    turn: count('What has one number happened together.'),
    place: count('Its place among those.'),
    time: time('When.'),
    kind: Type.String({ description: 'What, in one word for programs.' }),
    message: Type.String({ description: 'What, for people.' }),
    count: count('How many targets it is about; 0 when it is about the rollout as a whole.'),
    targets: Type.Array(Type.String(), { description: 'The names of the first of them.' }),
  },
  { title: 'TimelineEntry' },
);

export type RevisionSummaryResource = Static<typeof RevisionSummarySchema>;
export type RevisionResource = Static<typeof RevisionSchema>;
export type RevisionDiffResource = Static<typeof RevisionDiffSchema>;
export type TimelineEntryResource = Static<typeof TimelineEntrySchema>;
