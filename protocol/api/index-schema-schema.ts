import { type Static, Type } from 'typebox';
import { timeField } from './identity-fields.ts';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_KINDS = 100;
const MAX_FIELDS = 50;
const MAX_RULES = 20;
const MAX_CHECKS = 10;
const MAX_VALUES = 50;
const HEALTH_NAMES = ['Healthy', 'Progressing', 'Degraded', 'Failed', 'Unknown'] as const;
const FIELD_TYPE_NAMES = ['string', 'number', 'boolean', 'time', 'strings', 'keys'] as const;
const STATE_NAMES = ['Listing', 'Followed', 'Forbidden', 'NotServed', 'Troubled'] as const;

export const IndexSchemaParamsSchema = Type.Object({ indexSchema: nameField('The name of the index schema.') });
export const WorkspaceIndexSchemasParamsSchema = Type.Object({ workspace: nameField('The name of the workspace.') });
export const WorkspaceIndexSchemaParamsSchema = Type.Object({
  workspace: nameField('The name of the workspace.'),
  indexSchema: nameField('The name of the index schema.'),
});

/** A name, followed by names, `["any text"]`, `[*]` or `[key=value]`. */
const PATH =
  '^[A-Za-z_$][-A-Za-z0-9_$]*(\\.[A-Za-z_$][-A-Za-z0-9_$]*|\\["[^"\\\\]+"\\]|\\[\\*\\]|\\[[A-Za-z_][-A-Za-z0-9_]*=[^\\]"\\\\]+\\])*$';
const TYPE = '^[A-Za-z0-9][-A-Za-z0-9.]*(/[A-Za-z0-9][-A-Za-z0-9.]*){1,2}$';

const pathField = (description: string) =>
  Type.String({
    pattern: PATH,
    maxLength: 256,
    description: `${description} Such as \`status.phase\`, \`spec.containers[*].image\` or \`status.conditions[type=Ready].status\`.`,
  });
const typeField = () =>
  Type.String({
    pattern: TYPE,
    maxLength: 256,
    description: 'The kind of object, such as `v1/Pod` or `apps/v1/Deployment`.',
  });

const checked = () => pathField('The path to check.');
const CheckSchema = Type.Union(
  [
    Type.Object({
      path: checked(),
      in: Type.Array(Type.String({ maxLength: 256 }), {
        minItems: 1,
        maxItems: MAX_VALUES,
        description: 'At least one of the values at the path is one of these.',
      }),
    }),
    Type.Object({ path: checked(), exists: Type.Boolean({ description: 'Whether a value exists at the path.' }) }),
    Type.Object({
      path: checked(),
      below: pathField('The number at the path is lower than the number at this path; a missing number is 0.'),
    }),
  ],
  { title: 'IndexCheck' },
);

const FieldSchema = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][A-Za-z0-9]{0,62}$',
      description: 'The name to search by, such as `nodeName`.',
    }),
    path: pathField('The path of the value.'),
    type: Type.Enum([...FIELD_TYPE_NAMES], {
      description:
        'With several values: `number` is their sum, `strings` all of them, the other types the first; `keys` are the names of properties.',
    }),
  },
  { title: 'IndexField' },
);

const HealthRuleSchema = Type.Object(
  {
    health: Type.Enum([...HEALTH_NAMES]),
    when: Type.Array(CheckSchema, {
      maxItems: MAX_CHECKS,
      description: 'All of these must hold; an empty list always holds.',
    }),
  },
  { title: 'IndexHealthRule' },
);

const ExpirySchema = Type.Object(
  {
    after: Type.String({
      pattern: '^([1-9][0-9]{0,3}m|[1-9][0-9]?h|[1-7]d)$',
      description: 'A duration from a minute to seven days, such as `1h`.',
    }),
    from: Type.Array(pathField('The path of a time.'), {
      minItems: 1,
      maxItems: 5,
      description: 'The first time that is present counts.',
    }),
  },
  { title: 'IndexExpiry', description: 'How long objects stay in the index.' },
);

const KIND_PARTS = {
  health: Type.Array(HealthRuleSchema, {
    maxItems: MAX_RULES,
    description: 'The first rule that holds determines the state of the object. Without rules, its conditions do.',
  }),
  only: Type.Array(CheckSchema, { maxItems: MAX_CHECKS, description: 'Only objects for which all of these hold.' }),
  fields: Type.Array(FieldSchema, { maxItems: MAX_FIELDS, description: 'The fields to extract from each object.' }),
};

const NewKindSchema = Type.Object(
  {
    type: typeField(),
    fields: Type.Optional(KIND_PARTS.fields),
    health: Type.Optional(KIND_PARTS.health),
    only: Type.Optional(KIND_PARTS.only),
    expiry: Type.Optional(ExpirySchema),
  },
  { title: 'NewIndexedKind' },
);

const KindSchema = Type.Object(
  { type: typeField(), ...KIND_PARTS, expiry: Type.Optional(ExpirySchema) },
  { title: 'IndexedKind' },
);

const targetTypeField = () => nameField('The target type that the schema applies to.');

export const PutIndexSchemaSchema = Type.Object(
  {
    targetType: targetTypeField(),
    kinds: Type.Array(NewKindSchema, { minItems: 1, maxItems: MAX_KINDS }),
  },
  {
    title: 'PutIndexSchema',
    examples: [
      {
        targetType: 'kubernetes',
        kinds: [{ type: 'v1/ConfigMap', fields: [{ name: 'keys', path: 'data', type: 'keys' }] }],
      },
      { targetType: 'kubernetes', kinds: [{ type: 'v1/Event', only: [{ path: 'type', in: ['Warning'] }] }] },
    ],
  },
);

export const IndexSchemaSchema = Type.Object(
  {
    name: nameField('Unique in its workspace. Immutable.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The schema applies to targets in this workspace and below; in the root, to all targets.'),
    targetType: targetTypeField(),
    kinds: Type.Array(KindSchema),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'IndexSchema' },
);

// Indexed objects of a target

export const IndexedObjectsQuerySchema = Type.Object({
  kind: Type.Optional(typeField()),
  namespace: Type.Optional(Type.String({ maxLength: 253, description: 'Only objects in this namespace.' })),
});

export const IndexedObjectSchema = Type.Object(
  {
    kind: typeField(),
    namespace: Type.Optional(Type.String()),
    name: Type.String(),
    uid: Type.String({ description: 'The uid on the target.' }),
    health: Type.Enum([...HEALTH_NAMES]),
    deployment: Type.Optional(Type.String({ description: 'The uid of the deployment that delivered it.' })),
    labels: Type.Record(Type.String(), Type.String()),
    owners: Type.Array(Type.Object({ type: Type.String(), name: Type.String(), uid: Type.String() })),
    conditions: Type.Array(Type.Object({ type: Type.String(), status: Type.String(), reason: Type.String() })),
    fields: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())]),
    ),
    cut: Type.Optional(
      Type.Boolean({ description: 'Whether parts of the object were too large and are missing or truncated.' }),
    ),
    createTime: Type.Optional(timeField('When the object was created on the target.')),
    expireTime: Type.Optional(timeField('When the object disappears from the index.')),
    updateTime: timeField('When the platform last received a change.'),
  },
  { title: 'IndexedObject' },
);

export const TargetIndexSchema = Type.Object(
  {
    schemaRevision: Type.String({ description: 'Changes whenever the set of things to index changes.' }),
    kinds: Type.Array(
      Type.Object(
        {
          ...KindSchema.properties,
          state: Type.Optional(
            Type.Enum([...STATE_NAMES], {
              description: 'The last state that the agent reported; absent when it has not reported yet.',
            }),
          ),
          message: Type.Optional(Type.String({ description: 'Why the kind is not followed, if it is not.' })),
          objects: Type.Optional(Type.Integer({ minimum: 0, description: 'The number of objects.' })),
          updateTime: Type.Optional(timeField('When the agent reported the state.')),
        },
        { title: 'TargetIndexKind' },
      ),
    ),
  },
  { title: 'TargetIndex' },
);

export type IndexSchemaResource = Static<typeof IndexSchemaSchema>;
export type IndexedObjectResource = Static<typeof IndexedObjectSchema>;
export type TargetIndexResource = Static<typeof TargetIndexSchema>;
export type PutIndexSchema = Static<typeof PutIndexSchemaSchema>;
