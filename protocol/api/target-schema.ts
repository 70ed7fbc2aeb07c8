import { type Static, Type } from 'typebox';
import { labelsField, labelsPatchField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_MANIFEST_TYPES = 64;

const typeField = () =>
  nameField(
    'The type of agent that delivers to it: `kubernetes`, `platform`, `local`, `directory`, or a type that an addon provides.',
  );

/** Any JSON; the context limits its size and depth. */
const propertiesField = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const manifestTypesField = () =>
  Type.Array(Type.String({ pattern: '^[a-z0-9]([-a-z0-9./]*[a-z0-9])?$', maxLength: 128 }), {
    maxItems: MAX_MANIFEST_TYPES,
    description: 'The manifest types that the target accepts, which placement filters by. Empty: not declared.',
  });

export const ConditionSchema = Type.Object(
  {
    type: Type.String({ description: 'The aspect that the condition describes.' }),
    status: Type.Enum(['True', 'False', 'Unknown']),
    reason: Type.String({ description: 'A machine-readable reason, in one word.' }),
    message: Type.String({ description: 'A readable reason.' }),
    lastTransitionTime: Type.String({ format: 'date-time', description: 'When the status last changed.' }),
    observedGeneration: Type.Integer({ minimum: 0, description: 'The generation that the condition was observed at.' }),
  },
  { title: 'Condition' },
);

const ConnectionSchema = Type.Object(
  {
    state: Type.Enum(['NeverConnected', 'Connected', 'Disconnected']),
    lastSeenTime: Type.Optional(Type.String({ format: 'date-time', description: 'When the agent was last seen.' })),
  },
  { title: 'TargetConnection', description: 'Placement ignores it, so a flapping connection moves nothing.' },
);

export const TargetParamsSchema = Type.Object({ target: nameField('The name of the target.') });

export const TargetListQuerySchema = Type.Object({
  workspace: Type.Optional(nameField('Only the targets directly in this workspace.')),
  subtree: Type.Optional(
    Type.Boolean({ description: 'With `workspace`: include the targets of all workspaces below it.' }),
  ),
  type: Type.Optional(nameField('Only the targets of this type.')),
});

export const DeleteTargetQuerySchema = Type.Object({
  force: Type.Optional(
    Type.Boolean({
      description: 'Delete it although deployments are on it. The objects there stay, and are managed no more.',
    }),
  ),
});

export const TargetSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance. Immutable.'),
    uid: SYSTEM_FIELDS.uid,
    type: typeField(),
    workspace: nameField('The workspace of the target.'),
    aliasOf: Type.Optional(
      nameField(
        'The target that has the same cluster: this one is another name of it, and takes no placement. Only for callers who may read that target.',
      ),
    ),
    labels: labelsField(),
    reportedLabels: Type.Record(Type.String(), Type.String(), {
      description:
        'Labels that the agent reports, under `agent.fleetshift.io/`. Placement selects by both kinds of labels.',
    }),
    properties: propertiesField('Properties set by users, beyond labels. Placement ignores them.'),
    reportedProperties: propertiesField('Properties that the agent reports, beyond labels.'),
    advertisedManifestTypes: manifestTypesField(),
    lifecycle: Type.Enum(['Active', 'Cordoned', 'Deprovisioning'], {
      description: 'Cordoned: keeps its deployments and gets no new ones. Deprovisioning: is being removed.',
    }),
    connection: ConnectionSchema,
    conditions: Type.Array(ConditionSchema, { description: 'One condition of each type, sorted by type.' }),
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
    name: nameField('Unique in the whole instance. Immutable.'),
    type: typeField(),
    workspace: nameField('The workspace of the target.'),
    labels: Type.Optional(labelsField()),
    properties: Type.Optional(propertiesField('Properties beyond labels.')),
    advertisedManifestTypes: Type.Optional(manifestTypesField()),
  },
  { title: 'NewTarget' },
);

export const TargetPatchSchema = Type.Object(
  {
    labels: Type.Optional(labelsPatchField()),
    properties: Type.Optional(
      Type.Union([propertiesField('Properties to set; null removes a property.'), Type.Null()], {
        description: 'Merged at every level; null removes a property, and null in place of the object removes all.',
      }),
    ),
    advertisedManifestTypes: Type.Optional(
      Type.Union([manifestTypesField(), Type.Null()], { description: 'Replaced as a whole; null removes all.' }),
    ),
  },
  { title: 'TargetPatch', description: 'A JSON merge patch (RFC 7396). Absent fields stay unchanged.' },
);

export const AssignTargetSchema = Type.Object(
  { workspace: nameField('The workspace to assign the target to.') },
  { title: 'AssignTarget' },
);

export const MergeTargetSchema = Type.Object(
  { into: nameField('The target that has the same cluster, and stays.') },
  { title: 'MergeTarget' },
);

export type TargetResource = Static<typeof TargetSchema>;
