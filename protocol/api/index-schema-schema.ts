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

/** A name, then names, `["any text"]`, `[*]` or `[key=value]`. */
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

const checked = () => pathField('Where to look.');
const CheckSchema = Type.Union(
  [
    Type.Object({
      path: checked(),
      in: Type.Array(Type.String({ maxLength: 256 }), {
        minItems: 1,
        maxItems: MAX_VALUES,
        description: 'One of the values there is one of these.',
      }),
    }),
    Type.Object({ path: checked(), exists: Type.Boolean({ description: 'There is a value, or there is none.' }) }),
    Type.Object({
      path: checked(),
      below: pathField('The number there is below the one at this path; one that is not there is 0.'),
    }),
  ],
  { title: 'IndexCheck' },
);

const FieldSchema = Type.Object(
  {
    name: Type.String({
      pattern: '^[a-z][A-Za-z0-9]{0,62}$',
      description: 'What it is searched by, such as `nodeName`.',
    }),
    path: pathField('Where it is.'),
    type: Type.Enum([...FIELD_TYPE_NAMES], {
      description:
        'Of several values: `number` is their sum, `strings` all, others the first; `keys` are names of properties.',
    }),
  },
  { title: 'IndexField' },
);

const HealthRuleSchema = Type.Object(
  {
    health: Type.Enum([...HEALTH_NAMES]),
    when: Type.Array(CheckSchema, { maxItems: MAX_CHECKS, description: 'All of these; none always holds.' }),
  },
  { title: 'IndexHealthRule' },
);

const ExpirySchema = Type.Object(
  {
    after: Type.String({
      pattern: '^([1-9][0-9]{0,3}m|[1-9][0-9]?h|[1-7]d)$',
      description: 'A duration from a minute to seven days, such as `1h`.',
    }),
    from: Type.Array(pathField('A time.'), {
      minItems: 1,
      maxItems: 5,
      description: 'The first that there is counts.',
    }),
  },
  { title: 'IndexExpiry', description: 'How long objects are of interest.' },
);

const KIND_PARTS = {
  health: Type.Array(HealthRuleSchema, {
    maxItems: MAX_RULES,
    description: 'The first that holds says how an object is. Without any, its conditions do.',
  }),
  only: Type.Array(CheckSchema, { maxItems: MAX_CHECKS, description: 'Only objects of which all of these hold.' }),
  fields: Type.Array(FieldSchema, { maxItems: MAX_FIELDS, description: 'What is taken out of each object.' }),
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

const targetTypeField = () => nameField('For targets of this type.');

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
    name: nameField('Unique in its workspace, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('It holds for the targets in this workspace and below; in the root, for all.'),
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

// What is indexed of a target

export const IndexedObjectsQuerySchema = Type.Object({
  kind: Type.Optional(typeField()),
  namespace: Type.Optional(Type.String({ maxLength: 253, description: 'Only those in it.' })),
});

export const IndexedObjectSchema = Type.Object(
  {
    kind: typeField(),
    namespace: Type.Optional(Type.String()),
    name: Type.String(),
    uid: Type.String({ description: 'As the target has it.' }),
    health: Type.Enum([...HEALTH_NAMES]),
    deployment: Type.Optional(Type.String({ description: 'The uid of the deployment that brought it.' })),
    labels: Type.Record(Type.String(), Type.String()),
    owners: Type.Array(Type.Object({ type: Type.String(), name: Type.String(), uid: Type.String() })),
    conditions: Type.Array(Type.Object({ type: Type.String(), status: Type.String(), reason: Type.String() })),
    fields: Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Array(Type.String())]),
    ),
    cut: Type.Optional(Type.Boolean({ description: 'Something of it was too large, and is not there or not whole.' })),
    createTime: Type.Optional(timeField('On the target.')),
    expireTime: Type.Optional(timeField('From then on it is not shown any more.')),
    updateTime: timeField('When the platform last heard of a change.'),
  },
  { title: 'IndexedObject' },
);

export const TargetIndexSchema = Type.Object(
  {
    schemaRevision: Type.String({ description: 'Another one whenever what is to be indexed has changed.' }),
    kinds: Type.Array(
      Type.Object(
        {
          ...KindSchema.properties,
          state: Type.Optional(
            Type.Enum([...STATE_NAMES], {
              description: 'As its agent said last; absent when it has said nothing yet.',
            }),
          ),
          message: Type.Optional(Type.String({ description: 'Why, if it is not followed.' })),
          objects: Type.Optional(Type.Integer({ minimum: 0, description: 'How many there are.' })),
          updateTime: Type.Optional(timeField('When its agent said so.')),
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
