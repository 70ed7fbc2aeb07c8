import { type Static, Type } from 'typebox';
import { FieldChangeSchema, TargetDiffSchema } from './diff-schema.ts';
import { nameField } from './resource-fields.ts';

const count = (description: string) => Type.Integer({ minimum: 0, description });
const target = () => Type.String({ description: 'The name of the target.' });
const names = (description: string) => Type.Array(Type.String(), { description });
const reasons = (description: string) =>
  Type.Array(Type.Object({ target: target(), why: Type.String(), message: Type.String() }), { description });

export const PreviewQuerySchema = Type.Object({
  target: Type.Optional(
    Type.String({ minLength: 1, maxLength: 63, description: 'Show only this target: its name or uid.' }),
  ),
  deep: Type.Optional(Type.Boolean({ description: 'Also ask the agents of the targets shown.' })),
});

const ResolutionSchema = Type.Object(
  {
    kind: Type.Enum(['sure', 'unsure'], { description: 'When unsure, all targets keep what they have.' }),
    why: Type.Optional(Type.String({ description: 'Why it is unsure.' })),
    added: names('Targets that would newly get the deployment.'),
    removed: Type.Array(Type.Object({ target: target(), cause: Type.String() }), {
      description: 'Targets that would lose the deployment, each with its cause.',
    }),
    held: reasons('Targets whose removal would wait for `:confirmRemoval`.'),
    waiting: Type.Optional(reasons('Targets that would get the deployment once targets in `held` have lost it.')),
    excluded: reasons(
      'Targets that would not have the deployment, although they have it or the placement matches them.',
    ),
    retained: reasons('Targets that would keep the deployment, although they would not get it as new targets.'),
    missing: names('Targets that the placement names and the workspace does not have.'),
  },
  { title: 'PreviewedResolution', description: 'Each list contains at most 1,000 targets.' },
);

const StepSchema = Type.Object(
  {
    name: Type.String(),
    deliver: names('Targets that would get the content, in this order.'),
    remove: names('Targets that would lose the content, before the others get it.'),
    before: names('The types of the gates before the step.'),
    after: names('The types of the gates after the step.'),
    maxConcurrency: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
    failurePolicy: Type.String(),
  },
  { title: 'PreviewedStep', description: 'Each list of targets contains at most 1,000.' },
);

const PreviewedTargetSchema = Type.Object(
  {
    ...TargetDiffSchema.properties,
    kind: Type.Enum(['added', 'changed', 'unchanged', 'removed', 'failing'], {
      description:
        'unchanged: the target would be sent the same content again. failing: the manifest cannot be rendered for the target.',
    }),
    message: Type.Optional(Type.String({ description: 'Why it is failing.' })),
    agent: Type.Optional(
      Type.Object(
        { kind: Type.Enum(['wouldApply', 'wouldReject']), message: Type.String(), changes: Type.Array(Type.String()) },
        { description: 'The changes that the agent predicts, if it was asked and was able to answer.' },
      ),
    ),
  },
  { title: 'PreviewedTarget' },
);

export const PreviewSchema = Type.Object(
  {
    deployment: nameField('The name of the deployment.'),
    revision: Type.Integer({ minimum: 1, description: 'The revision that the rollout would have.' }),
    spec: Type.Array(FieldChangeSchema, { description: 'The fields that the patch changes.' }),
    resolution: ResolutionSchema,
    plan: Type.Optional(
      Type.Object(
        { steps: Type.Array(StepSchema), current: count('The number of targets without changes.') },
        { title: 'PreviewedPlan', description: 'Absent when the resolution is unsure.' },
      ),
    ),
    counts: Type.Object(
      { added: count(''), changed: count(''), unchanged: count(''), removed: count(''), failing: count('') },
      { description: 'Counts over all targets that would be sent content or lose it.' },
    ),
    targets: Type.Array(PreviewedTargetSchema, {
      description: 'Some of those targets, sorted by name. Secrets are masked.',
    }),
    digest: Type.String({
      description:
        'Identifies the outcome: which targets get which content in which order. Equal outcomes have equal digests.',
    }),
  },
  { title: 'Preview', description: 'The changes on each target, before anything is applied.' },
);

export type PreviewResource = Static<typeof PreviewSchema>;
