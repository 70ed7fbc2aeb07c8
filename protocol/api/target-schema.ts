import { type Static, Type } from 'typebox';
import { labelsField, labelsPatchField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_MANIFEST_TYPES = 64;

const typeField = () =>
  nameField('Who delivers to it: `kubernetes`, `platform`, `local`, `directory`, or a type that an addon brings.');

/** Any JSON inside; how large and how deep is for the context to say. */
const propertiesField = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const manifestTypesField = () =>
  Type.Array(Type.String({ pattern: '^[a-z0-9]([-a-z0-9./]*[a-z0-9])?$', maxLength: 128 }), {
    maxItems: MAX_MANIFEST_TYPES,
    description: 'What it takes, for placement to filter by. Empty: nobody said.',
  });

export const ConditionSchema = Type.Object(
  {
    type: Type.String({ description: 'What it is about.' }),
    status: Type.Enum(['True', 'False', 'Unknown']),
    reason: Type.String({ description: 'Why, in one word for programs.' }),
    message: Type.String({ description: 'Why, for people.' }),
    lastTransitionTime: Type.String({ format: 'date-time', description: 'When the status became what it is.' }),
    observedGeneration: Type.Integer({ minimum: 0, description: 'The generation that was looked at.' }),
  },
  { title: 'Condition' },
);

const ConnectionSchema = Type.Object(
  {
    state: Type.Enum(['NeverConnected', 'Connected', 'Disconnected']),
    lastSeenTime: Type.Optional(Type.String({ format: 'date-time', description: 'When its agent was last heard of.' })),
  },
  { title: 'TargetConnection', description: 'Placement never looks at it: a link that flaps moves nothing.' },
);

export const TargetParamsSchema = Type.Object({ target: nameField('The name of the target.') });

export const TargetListQuerySchema = Type.Object({
  workspace: Type.Optional(nameField('Only the targets directly in this workspace.')),
  subtree: Type.Optional(Type.Boolean({ description: 'With `workspace`: those in it on any level.' })),
  type: Type.Optional(nameField('Only the targets of this type.')),
});

export const TargetSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    type: typeField(),
    workspace: nameField('The one workspace that it is in.'),
    labels: labelsField(),
    reportedLabels: Type.Record(Type.String(), Type.String(), {
      description: 'What its agent says of it, under `agent.fleetshift.io/`. Placement selects by both.',
    }),
    properties: propertiesField('What people say of it beyond labels. Placement does not see it.'),
    reportedProperties: propertiesField('What its agent says of it beyond labels.'),
    advertisedManifestTypes: manifestTypesField(),
    lifecycle: Type.Enum(['Active', 'Cordoned', 'Deprovisioning'], {
      description: 'Cordoned keeps what it has and gets nothing new; Deprovisioning is on its way out.',
    }),
    connection: ConnectionSchema,
    conditions: Type.Array(ConditionSchema, { description: 'One of each type, in the order of types.' }),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Target' },
);

export const NewTargetSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance, and never changed.'),
    type: typeField(),
    workspace: nameField('The one workspace that it is to be in.'),
    labels: Type.Optional(labelsField()),
    properties: Type.Optional(propertiesField('What there is to say of it beyond labels.')),
    advertisedManifestTypes: Type.Optional(manifestTypesField()),
  },
  { title: 'NewTarget' },
);

export const TargetPatchSchema = Type.Object(
  {
    labels: Type.Optional(labelsPatchField()),
    properties: Type.Optional(
      Type.Union([propertiesField('Properties to set; null removes one.'), Type.Null()], {
        description: 'Merged at every level; null removes one, or in place of the object all.',
      }),
    ),
    advertisedManifestTypes: Type.Optional(
      Type.Union([manifestTypesField(), Type.Null()], { description: 'Replaced as a whole; null removes all.' }),
    ),
  },
  { title: 'TargetPatch', description: 'A JSON merge patch (RFC 7396): what is absent stays as it is.' },
);

export const AssignTargetSchema = Type.Object(
  { workspace: nameField('The one workspace that it is to be in.') },
  { title: 'AssignTarget' },
);

export type TargetResource = Static<typeof TargetSchema>;
