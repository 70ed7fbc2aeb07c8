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
  { title: 'LabelSelector', description: 'As in Kubernetes: all requirements must match.' },
);

const documents = (description: string) =>
  Type.Array(Type.Record(Type.String(), Type.Unknown()), { maxItems: 10_000, description });

const targetTypes = () =>
  Type.Optional(
    Type.Array(nameField('A type of target.'), {
      description: 'The target types that the manifest applies to; defaults to all.',
    }),
  );

const InlineManifestSchema = Type.Object(
  {
    type: Type.Literal('inline'),
    documents: documents('The documents that every target gets. Mark a value as secret with `{"$secret": value}`.'),
    targetTypes: targetTypes(),
  },
  { title: 'InlineManifest', description: 'The same documents for every target.' },
);

const TEMPLATE_TEXT = Type.String({ maxLength: 1_000_000 });
const TemplateTextSchema = Type.Union([TEMPLATE_TEXT, Type.Object({ $secret: TEMPLATE_TEXT })], {
  description:
    'The text of a YAML file. A text that itself contains a secret, in a Secret or in `$secret`, is sealed and masked as a whole; ' +
    'put secrets into `values` to keep it readable.',
});

const TemplateManifestSchema = Type.Object(
  {
    type: Type.Literal('template'),
    documents: Type.Optional(documents('The template, with `${...}` in its strings. Alternatively use `template`.')),
    template: Type.Optional(TemplateTextSchema),
    values: Type.Optional(jsonObject('The values for all targets.')),
    overrides: Type.Optional(
      Type.Array(
        Type.Object(
          { selector: SelectorSchema, values: jsonObject('Merged over the preceding values.') },
          { title: 'ValuesOverride' },
        ),
        { description: 'Values for the targets that each selector matches, applied in order.' },
      ),
    ),
    targets: Type.Optional(
      Type.Record(Type.String(), jsonObject('Values for this target only.'), { description: 'Values by target name.' }),
    ),
    targetTypes: targetTypes(),
  },
  { title: 'TemplateManifest', description: 'Documents that are rendered for each target.' },
);

/** A child is itself a deployment, possibly a group. Its fields are those of `DeploymentDraftSchema`, at any depth. */
const GroupManifestSchema = Type.Object(
  {
    type: Type.Literal('deploymentGroup'),
    deployments: Type.Array(
      Type.Object(
        { name: nameField('A short name: the deployment is called `<group>-<name>`.') },
        { additionalProperties: true, title: 'GroupChild' },
      ),
      {
        minItems: 1,
        maxItems: 200,
        description: "The children, as they would be created but without a workspace: they are in the group's.",
      },
    ),
    sequence: Type.Optional(
      Type.Array(Type.Object({ step: Type.Array(Type.String(), { minItems: 1 }) }), {
        description:
          'A step starts when all deployments of the previous step are healthy. By default there is one step.',
      }),
    ),
    onFailure: Type.Optional(
      Type.Enum(['halt', 'rollback'], {
        description: 'The reaction to a step that does not become healthy; default `halt`.',
      }),
    ),
  },
  { title: 'DeploymentGroupManifest', description: 'Several deployments that are managed as one.' },
);

export const ManifestSchema = Type.Union([InlineManifestSchema, TemplateManifestSchema, GroupManifestSchema], {
  title: 'Manifest',
  description: 'The content to deploy, by `type`.',
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
      { title: 'SelectorPlacement', description: 'Targets whose labels match.' },
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
      {
        title: 'StaticPlacement',
        description: 'The named targets. A target outside the workspace and its subtree is refused.',
      },
    ),
    Type.Object(
      { type: Type.Literal('all') },
      { title: 'AllPlacement', description: 'All targets of the workspace and below.' },
    ),
    Type.Object(
      { type: Type.Literal('local') },
      {
        title: 'LocalPlacement',
        description: 'The platform itself. Requires the permission `deployments.placeLocal`.',
      },
    ),
    Type.Object(
      {
        type: Type.Literal('scored'),
        top: Type.Integer({ minimum: 1, description: 'The number of targets to choose.' }),
        weights: Type.Array(WeightSchema, { minItems: 1, maxItems: 16 }),
        hysteresis: Type.Optional(
          Type.Number({
            minimum: 0,
            description: 'How many points better a target must score to replace one already placed; default 10.',
          }),
        ),
        maxScoreAge: Type.Optional(duration('How long a score is valid; default `10m`.')),
      },
      { title: 'ScoredPlacement', description: 'The targets with the highest weighted sum of scores.' },
    ),
  ],
  { title: 'Placement' },
);

export const PlacementsSchema = Type.Array(PlacementSchema, {
  minItems: 1,
  maxItems: 16,
  description:
    'Where to deploy. The first placement chooses from all targets in the workspace and below; each further one chooses from the result of the previous one.',
});

const WaitGateSchema = Type.Object(
  { type: Type.Literal('wait'), duration: duration('How long to wait.') },
  { title: 'WaitGate' },
);

const ApprovalGateSchema = Type.Object(
  {
    type: Type.Literal('approval'),
    requireDistinctApprover: Type.Optional(
      Type.Boolean({
        description:
          'The approver must be a person who neither wrote nor requested anything that the rollout delivers; never a service account.',
      }),
    ),
    expiry: Type.Optional(duration('How long the request is open; without a limit by default.')),
  },
  { title: 'ApprovalGate' },
);

/** The gates that depend on nothing in the deployment's workspace, so a policy can require them of any deployment. */
export const RequiredGateSchema = Type.Union([WaitGateSchema, ApprovalGateSchema], { title: 'RequiredGate' });

const GateSchema = Type.Union(
  [
    WaitGateSchema,
    ApprovalGateSchema,
    Type.Object(
      {
        type: Type.Literal('health'),
        stableDuration: Type.Optional(duration('How long all targets must be available without interruption.')),
        timeout: Type.Optional(duration('How long to wait at most.')),
      },
      { title: 'HealthGate' },
    ),
    Type.Object(
      {
        type: Type.Literal('deploymentHealth'),
        deployment: nameField('Another deployment in the same workspace.'),
        stableDuration: Type.Optional(duration('How long that deployment must be healthy without interruption.')),
        timeout: Type.Optional(duration('How long to wait at most.')),
      },
      { title: 'DeploymentHealthGate' },
    ),
  ],
  { title: 'Gate' },
);

const tasks = (description: string) => Type.Optional(Type.Array(GateSchema, { maxItems: 16, description }));
const failurePolicy = () =>
  Type.Optional(
    Type.Enum(['pause', 'rollback'], { description: 'The reaction to too many failures; default `pause`.' }),
  );

const removal = (title: string, orders: ('first' | 'last' | 'withStage')[]) =>
  Type.Optional(
    Type.Object(
      {
        order: Type.Optional(Type.Enum(orders, { description: 'When to remove; default `first`.' })),
        maxConcurrency: Type.Optional(share('How many targets at once.')),
        beforeTasks: tasks('Gates to pass before the removal.'),
        afterTasks: tasks('Gates to pass after the removal.'),
      },
      { title, description: 'When and how the content is removed from targets that are no longer placed.' },
    ),
  );

const budget = {
  maxConcurrency: Type.Optional(share('How many targets may have work in progress at once; default all.')),
  minAvailable: Type.Optional(share('How many targets must stay available.')),
  maxUnavailable: Type.Optional(share('How many targets may be unavailable.')),
  maxFailures: Type.Optional(share('How many targets may fail before the rollout stops; default 0.')),
  maxRemoval: Type.Optional(
    share('How many targets may be removed without `:confirmRemoval`; default `10%`, at least one.'),
  ),
  progressDeadline: Type.Optional(duration('How long a target may take; default `10m`, for a group `30d`.')),
  offlinePolicy: Type.Optional(
    Type.Enum(['wait', 'skip'], {
      description:
        'Whether the rollout waits for offline targets or skips them. In either case they are updated when they are back.',
    }),
  ),
  offlineDeadline: Type.Optional(duration('How long to wait for an offline target; default `1h`.')),
  onCollision: Type.Optional(
    Type.Enum(['supersede', 'queue'], { description: 'The effect of a newer change on a rollout in progress.' }),
  ),
  failurePolicy: failurePolicy(),
};

const StageSchema = Type.Object(
  {
    name: nameField('Unique in the rollout; neither `rest` nor `removal`.'),
    selector: SelectorSchema,
    maxConcurrency: Type.Optional(share('How many targets of the stage at once.')),
    beforeTasks: tasks('Gates to pass before the stage starts, in this order.'),
    afterTasks: tasks('Gates to pass before the next stage starts.'),
    failurePolicy: failurePolicy(),
  },
  { title: 'Stage', description: 'A target belongs to the first stage that selects it.' },
);

export const RolloutSchema = Type.Union(
  [
    Type.Object(
      { type: Type.Literal('immediate'), ...budget, removal: removal('Removal', ['first', 'last']) },
      { title: 'ImmediateRollout', description: 'All targets at once, within the budget.' },
    ),
    Type.Object(
      {
        type: Type.Literal('rolling'),
        batchSize: share('How many targets at a time; a percentage is of the resolved set.'),
        ...budget,
        removal: removal('Removal', ['first', 'last']),
      },
      { title: 'RollingRollout', description: 'Batch by batch: the next batch starts when this one is available.' },
    ),
    Type.Object(
      {
        type: Type.Literal('staged'),
        stages: Type.Array(StageSchema, { maxItems: 64 }),
        ...budget,
        removal: removal('StagedRemoval', ['first', 'last', 'withStage']),
      },
      {
        title: 'StagedRollout',
        description: 'Stage by stage. Targets that no stage selects form a last stage called `rest`.',
      },
    ),
  ],
  { title: 'Rollout', description: 'The pace and order, by `type`.' },
);

export const HealthRulesSchema = Type.Array(
  Type.Object(
    {
      apiGroup: Type.Optional(
        Type.String({ maxLength: 253, description: 'Such as `apps`; default is the core group.' }),
      ),
      kind: Type.String({ minLength: 1, maxLength: 63 }),
      healthy: Type.String({ minLength: 1, maxLength: 4_096, description: 'CEL over `object`; true means healthy.' }),
    },
    { title: 'HealthRule' },
  ),
  { maxItems: 64, description: 'Health rules by kind, in addition to those built into the agents.' },
);

export const DriftPolicySchema = Type.Enum(['report', 'repair'], {
  description: 'The reaction to changes made on a target; default `report`.',
});

export const NamespaceSchema = Type.String({
  pattern: '^[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
  maxLength: 63,
  description: 'The namespace for documents on targets that have namespaces.',
});

export const ConfigSchema = jsonObject('Free-form input for the manifest generator.');
