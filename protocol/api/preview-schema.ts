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
    Type.String({ minLength: 1, maxLength: 63, description: 'Show this target alone: its name or uid.' }),
  ),
  deep: Type.Optional(Type.Boolean({ description: 'Ask the agents of the targets that are shown, too.' })),
});

const ResolutionSchema = Type.Object(
  {
    kind: Type.Enum(['sure', 'unsure'], { description: 'When it is unsure, everybody keeps what they have.' }),
    why: Type.Optional(Type.String({ description: 'Why it is unsure.' })),
    added: names('Who would newly have it.'),
    removed: Type.Array(Type.Object({ target: target(), cause: Type.String() }), {
      description: 'Who would lose it, and for what cause.',
    }),
    held: reasons('Who would lose it and would wait for `:confirmRemoval`.'),
    excluded: reasons('Who would not have it, though it did or would but for this.'),
    retained: reasons('Who would keep it, and would not get it if it were new.'),
    missing: names('What the placement names and the workspace does not have.'),
  },
  { title: 'PreviewedResolution', description: 'Lists hold the first 1,000.' },
);

const StepSchema = Type.Object(
  {
    name: Type.String(),
    deliver: names('Who would get it, in this order.'),
    remove: names('Who would lose it, before that.'),
    before: names('The types of the gates before it.'),
    after: names('The types of the gates after it.'),
    maxConcurrency: Type.Optional(Type.Union([Type.Integer(), Type.String()])),
    failurePolicy: Type.String(),
  },
  { title: 'PreviewedStep', description: 'Lists of targets hold the first 1,000.' },
);

const PreviewedTargetSchema = Type.Object(
  {
    ...TargetDiffSchema.properties,
    kind: Type.Enum(['added', 'changed', 'unchanged', 'removed', 'failing'], {
      description: 'unchanged: it would be sent the same once more. failing: the manifest makes nothing of it.',
    }),
    message: Type.Optional(Type.String({ description: 'Why it is failing.' })),
    agent: Type.Optional(
      Type.Object(
        { kind: Type.Enum(['wouldApply', 'wouldReject']), message: Type.String(), changes: Type.Array(Type.String()) },
        { description: 'What its agent says would change, if it was asked and could tell.' },
      ),
    ),
  },
  { title: 'PreviewedTarget' },
);

export const PreviewSchema = Type.Object(
  {
    deployment: nameField('The name of the deployment.'),
    revision: Type.Integer({ minimum: 1, description: 'The revision that it would be.' }),
    spec: Type.Array(FieldChangeSchema, { description: 'What the patch changes.' }),
    resolution: ResolutionSchema,
    plan: Type.Optional(
      Type.Object(
        { steps: Type.Array(StepSchema), current: count('How many have nothing to change.') },
        { title: 'PreviewedPlan', description: 'Absent when it is in doubt who is to have it.' },
      ),
    ),
    counts: Type.Object(
      { added: count(''), changed: count(''), unchanged: count(''), removed: count(''), failing: count('') },
      { description: 'Of all targets that would be sent something, or would lose it.' },
    ),
    targets: Type.Array(PreviewedTargetSchema, {
      description: 'Some of them, in the order of names. Secrets are masked.',
    }),
    digest: Type.String({ description: 'The same for the same outcome: who gets what in which order.' }),
  },
  { title: 'Preview', description: 'What would change on which target, before anything does.' },
);

export type PreviewResource = Static<typeof PreviewSchema>;
