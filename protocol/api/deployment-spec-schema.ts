import { Type } from 'typebox';
import { nameField } from './resource-fields.ts';

const jsonObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const share = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^(0|[1-9][0-9]?|100)%$' })], { description });

const duration = (description: string) =>
  Type.String({ maxLength: 32, description: `${description} Such as \`30s\`, \`10m\`, \`1h30m\` or \`7d\`.` });

const SelectorSchema = Type.Object(
  {
    matchLabels: Type.Optional(Type.Record(Type.String(), Type.String())),
    matchExpressions: Type.Optional(
      Type.Array(
        Type.Object({
          key: Type.String(),
          operator: Type.Enum(['In', 'NotIn', 'Exists', 'DoesNotExist']),
          values: Type.Optional(Type.Array(Type.String())),
        }),
      ),
    ),
  },
  { title: 'LabelSelector', description: 'As in Kubernetes: all of it has to match.' },
);

const documents = (description: string) =>
  Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 10_000, description });

const targetTypes = () =>
  Type.Optional(
    Type.Array(nameField('A type of target.'), { description: 'The types of target that it is for; all unless told.' }),
  );

const InlineManifestSchema = Type.Object(
  {
    type: Type.Literal('inline'),
    documents: documents('What each target gets. Mark a value as secret by `{"$secret": value}`.'),
    targetTypes: targetTypes(),
  },
  { title: 'InlineManifest', description: 'The same documents for every target.' },
);

const TEMPLATE_TEXT = Type.String({ maxLength: 1_000_000 });
const TemplateTextSchema = Type.Union([TEMPLATE_TEXT, Type.Object({ $secret: TEMPLATE_TEXT })], {
  description:
    'The text of a YAML file. One that holds a secret itself, as in a Secret or in `$secret`, is sealed and masked as a whole; ' +
    'put secrets into `values` to keep it readable.',
});

const TemplateManifestSchema = Type.Object(
  {
    type: Type.Literal('template'),
    documents: Type.Optional(documents('The template, with `${...}` in its texts; or `template`.')),
    template: Type.Optional(TemplateTextSchema),
    values: Type.Optional(jsonObject('For all targets.')),
    overrides: Type.Optional(
      Type.Array(
        Type.Object(
          { selector: SelectorSchema, values: jsonObject('Merged over those before.') },
          { title: 'ValuesOverride' },
        ),
        { description: 'For the targets that each selects, in their order.' },
      ),
    ),
    targets: Type.Optional(
      Type.Record(Type.String(), jsonObject('Of this target alone.'), { description: 'By the name of the target.' }),
    ),
    targetTypes: targetTypes(),
  },
  { title: 'TemplateManifest', description: 'Documents that are filled in for each target.' },
);

/** A child is a deployment itself, groups included. Its fields are those of `DeploymentDraftSchema`, at any depth. */
const GroupManifestSchema = Type.Object(
  {
    type: Type.Literal('deploymentGroup'),
    deployments: Type.Array(
      Type.Object(
        { name: nameField('Short: the deployment is called `<group>-<name>`.') },
        { additionalProperties: true, title: 'GroupChild' },
      ),
      {
        minItems: 1,
        maxItems: 200,
        description: "Each as it would be created, without a workspace: it is the group's.",
      },
    ),
    sequence: Type.Optional(
      Type.Array(Type.Object({ step: Type.Array(Type.String(), { minItems: 1 }) }), {
        description: 'A step begins when all of the one before are healthy. Left out, there is one step.',
      }),
    ),
    onFailure: Type.Optional(
      Type.Enum(['halt', 'rollback'], {
        description: 'What a step that does not get healthy leads to; `halt` unless told.',
      }),
    ),
  },
  { title: 'DeploymentGroupManifest', description: 'Several deployments that are one.' },
);

export const ManifestSchema = Type.Union([InlineManifestSchema, TemplateManifestSchema, GroupManifestSchema], {
  title: 'Manifest',
  description: 'What to deploy, by `type`.',
});

const WeightSchema = Type.Union(
  [
    Type.Object({ type: Type.Literal('reported'), score: nameField('The name of a score.'), weight: Type.Number() }),
    Type.Object({ type: Type.Literal('load'), weight: Type.Number() }),
    Type.Object({ type: Type.Literal('spread'), label: Type.String(), weight: Type.Number() }),
  ],
  { title: 'PlacementWeight' },
);

const PlacementSchema = Type.Union(
  [
    Type.Object(
      { type: Type.Literal('selector'), ...SelectorSchema.properties },
      { title: 'SelectorPlacement', description: 'Those whose labels match.' },
    ),
    Type.Object(
      {
        type: Type.Literal('static'),
        targets: Type.Array(Type.String({ maxLength: 63 }), {
          minItems: 1,
          maxItems: 10_000,
          description: 'Names or uids.',
        }),
      },
      { title: 'StaticPlacement', description: 'These. One that is not in the workspace or below it is refused.' },
    ),
    Type.Object({ type: Type.Literal('all') }, { title: 'AllPlacement', description: 'The whole workspace.' }),
    Type.Object(
      { type: Type.Literal('local') },
      { title: 'LocalPlacement', description: 'The platform itself. Needs the permission `deployments.placeLocal`.' },
    ),
    Type.Object(
      {
        type: Type.Literal('scored'),
        top: Type.Integer({ minimum: 1, description: 'How many.' }),
        weights: Type.Array(WeightSchema, { minItems: 1, maxItems: 16 }),
        hysteresis: Type.Optional(
          Type.Number({
            minimum: 0,
            description: 'By how many points one has to be better to take the place of another; 10 unless told.',
          }),
        ),
        maxScoreAge: Type.Optional(duration('For how long a score counts; `10m` unless told.')),
      },
      { title: 'ScoredPlacement', description: 'The best, by a weighted sum of scores.' },
    ),
  ],
  { title: 'Placement' },
);

export const PlacementsSchema = Type.Array(PlacementSchema, {
  minItems: 1,
  maxItems: 16,
  description:
    'Where it goes: each chooses from what the one before it chose, the first from all targets below the workspace.',
});

const WaitGateSchema = Type.Object(
  { type: Type.Literal('wait'), duration: duration('How long.') },
  { title: 'WaitGate' },
);

const ApprovalGateSchema = Type.Object(
  {
    type: Type.Literal('approval'),
    requireDistinctApprover: Type.Optional(
      Type.Boolean({
        description:
          'The approver is a person who neither wrote nor asked for anything that the rollout brings; never a service account.',
      }),
    ),
    expiry: Type.Optional(duration('How long the request stands; for good unless told.')),
  },
  { title: 'ApprovalGate' },
);

/** Of the gates those that hang on nothing in the deployment's own workspace, and so can be demanded of any. */
export const RequiredGateSchema = Type.Union([WaitGateSchema, ApprovalGateSchema], { title: 'RequiredGate' });

const GateSchema = Type.Union(
  [
    WaitGateSchema,
    ApprovalGateSchema,
    Type.Object(
      {
        type: Type.Literal('health'),
        stableDuration: Type.Optional(duration('For how long all have to be available without a break.')),
        timeout: Type.Optional(duration('By when.')),
      },
      { title: 'HealthGate' },
    ),
    Type.Object(
      {
        type: Type.Literal('deploymentHealth'),
        deployment: nameField('Another deployment of the workspace.'),
        stableDuration: Type.Optional(duration('For how long it has to be healthy without a break.')),
        timeout: Type.Optional(duration('By when.')),
      },
      { title: 'DeploymentHealthGate' },
    ),
  ],
  { title: 'Gate' },
);

const tasks = (description: string) => Type.Optional(Type.Array(GateSchema, { maxItems: 16, description }));
const failurePolicy = () =>
  Type.Optional(
    Type.Enum(['pause', 'rollback'], { description: 'What too many failures lead to; `pause` unless told.' }),
  );

const removal = (title: string, orders: ('first' | 'last' | 'withStage')[]) =>
  Type.Optional(
    Type.Object(
      {
        order: Type.Optional(Type.Enum(orders, { description: '`first` unless told.' })),
        maxConcurrency: Type.Optional(share('How many at once.')),
        beforeTasks: tasks('What has to be true before.'),
        afterTasks: tasks('What has to be true after.'),
      },
      { title, description: 'When and how targets lose it that are not placed any more.' },
    ),
  );

const budget = {
  maxConcurrency: Type.Optional(share('How many targets have something under way at once; all unless told.')),
  minAvailable: Type.Optional(share('How many have to be available.')),
  maxUnavailable: Type.Optional(share('How many may be unavailable.')),
  maxFailures: Type.Optional(share('How many may go wrong before it stops; none unless told.')),
  maxRemoval: Type.Optional(
    share('How many may lose it without `:confirmRemoval`; `10%`, and at least one, unless told.'),
  ),
  progressDeadline: Type.Optional(duration('How long a target may take; `10m` unless told, and `30d` for a group.')),
  offlinePolicy: Type.Optional(
    Type.Enum(['wait', 'skip'], {
      description: 'Offline targets are waited for, or skipped; either way they get it when they are back.',
    }),
  ),
  offlineDeadline: Type.Optional(duration('How long an offline target is waited for; `1h` unless told.')),
  onCollision: Type.Optional(
    Type.Enum(['supersede', 'queue'], { description: 'What a newer change does to a rollout under way.' }),
  ),
  failurePolicy: failurePolicy(),
};

const StageSchema = Type.Object(
  {
    name: nameField('Unique in the rollout; neither `rest` nor `removal`.'),
    selector: SelectorSchema,
    maxConcurrency: Type.Optional(share('How many of the stage at once.')),
    beforeTasks: tasks('What has to be true before it begins, in this order.'),
    afterTasks: tasks('What has to be true before the next one begins.'),
    failurePolicy: failurePolicy(),
  },
  { title: 'Stage', description: 'A target belongs to the first stage that selects it.' },
);

export const RolloutSchema = Type.Union(
  [
    Type.Object(
      { type: Type.Literal('immediate'), ...budget, removal: removal('Removal', ['first', 'last']) },
      { title: 'ImmediateRollout', description: 'To all at once, as far as the budget lets it.' },
    ),
    Type.Object(
      {
        type: Type.Literal('rolling'),
        batchSize: share('How many at a time; a percentage is of the resolved set.'),
        ...budget,
        removal: removal('Removal', ['first', 'last']),
      },
      { title: 'RollingRollout', description: 'Batch by batch: the next begins when this one is available.' },
    ),
    Type.Object(
      {
        type: Type.Literal('staged'),
        stages: Type.Array(StageSchema, { maxItems: 64 }),
        ...budget,
        removal: removal('StagedRemoval', ['first', 'last', 'withStage']),
      },
      { title: 'StagedRollout', description: 'Stage by stage. Whom none selects is in a last one called `rest`.' },
    ),
  ],
  { title: 'Rollout', description: 'How fast and in what order, by `type`.' },
);

export const HealthRulesSchema = Type.Array(
  Type.Object(
    {
      apiGroup: Type.Optional(
        Type.String({ maxLength: 253, description: 'Such as `apps`; left out, the core group.' }),
      ),
      kind: Type.String({ minLength: 1, maxLength: 63 }),
      healthy: Type.String({ minLength: 1, maxLength: 4_096, description: 'CEL over `object`; true means healthy.' }),
    },
    { title: 'HealthRule' },
  ),
  { maxItems: 64, description: 'When documents of a kind are healthy, beyond what agents know by themselves.' },
);

export const DriftPolicySchema = Type.Enum(['report', 'repair'], {
  description: 'What follows when something is changed on a target; `report` unless told.',
});

export const NamespaceSchema = Type.String({
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  maxLength: 63,
  description: 'Where things go on a target that has such places.',
});

export const ConfigSchema = jsonObject('For whoever generates the manifest.');
