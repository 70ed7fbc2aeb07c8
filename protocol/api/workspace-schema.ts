import { type Static, Type } from 'typebox';
import { RequiredGateSchema } from './deployment-spec-schema.ts';
import { displayNameField, labelsField, labelsPatchField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const kindField = () =>
  Type.Enum(['folder', 'domain', 'project'], {
    description: 'A domain is in the root or in a folder, a project directly in a domain, a folder anywhere.',
  });

const kebabField = (description: string) =>
  Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 63, description });

const policyField = () =>
  Type.Object(
    {
      requiredGates: Type.Array(RequiredGateSchema, {
        maxItems: 8,
        description:
          'Gates that every rollout in this workspace and below starts with, in addition to its own gates and those of workspaces above. They also apply to rollouts from above that touch a target in this workspace or below.',
      }),
    },
    { title: 'WorkspacePolicy', description: 'Requirements that deployers cannot weaken.' },
  );

export const WorkspaceParamsSchema = Type.Object({ workspace: nameField('The name of the workspace.') });

export const WorkspaceListQuerySchema = Type.Object({
  parent: Type.Optional(nameField('Only the direct children of this workspace.')),
  subtree: Type.Optional(Type.Boolean({ description: 'With `parent`: include all descendants.' })),
});

export const WorkspaceSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance. Immutable.'),
    uid: SYSTEM_FIELDS.uid,
    kind: kindField(),
    parent: Type.Optional(nameField('The parent workspace. Only `root` has none.')),
    slug: Type.Optional(kebabField('For a domain: its name in other systems. Unique and immutable.')),
    region: Type.Optional(
      kebabField('The region that a domain is pinned to, if any. A project has the region of its domain.'),
    ),
    displayName: Type.Optional(displayNameField()),
    labels: labelsField(),
    policy: Type.Optional(policyField()),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Workspace' },
);

export const NewWorkspaceSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance. Immutable.'),
    kind: Type.Optional(kindField()),
    parent: Type.Optional(nameField('The parent workspace; default `root`.')),
    slug: Type.Optional(kebabField('For a domain only; defaults to its name. Immutable.')),
    region: Type.Optional(kebabField('For a domain only.')),
    displayName: Type.Optional(displayNameField()),
    labels: Type.Optional(labelsField()),
    policy: Type.Optional(policyField()),
  },
  { title: 'NewWorkspace' },
);

export const WorkspacePatchSchema = Type.Object(
  {
    displayName: Type.Optional(Type.Union([displayNameField(), Type.Null()], { description: 'null removes it.' })),
    labels: Type.Optional(labelsPatchField()),
    region: Type.Optional(
      Type.Union([kebabField('For a domain only.'), Type.Null()], {
        description: 'The region of a domain and of its projects. null removes it.',
      }),
    ),
    policy: Type.Optional(
      Type.Union([policyField(), Type.Null()], { description: 'Replaced as a whole. null removes it.' }),
    ),
  },
  { title: 'WorkspacePatch', description: 'A JSON merge patch (RFC 7396). Absent fields stay unchanged.' },
);

export const MoveWorkspaceSchema = Type.Object(
  { parent: nameField('The new parent workspace.') },
  { title: 'MoveWorkspace' },
);

const MoveChangeSchema = Type.Object(
  {
    kind: Type.String({
      description: 'The kind of change, in one word: `parent`, `workspaces`, `targets`, `deployment`.',
    }),
    message: Type.String({ description: 'A readable description.' }),
    from: Type.Optional(Type.String({ description: 'The value before the move.' })),
    to: Type.Optional(Type.String({ description: 'The value after the move.' })),
    count: Type.Optional(Type.Integer({ minimum: 0, description: 'The number of items concerned.' })),
  },
  { title: 'MoveChange' },
);

export const MovedWorkspaceSchema = Type.Object(
  {
    workspace: WorkspaceSchema,
    changes: Type.Array(MoveChangeSchema, {
      description: 'All changes that the move causes. Empty when the workspace was already there.',
    }),
  },
  { title: 'MovedWorkspace' },
);

export type WorkspaceResource = Static<typeof WorkspaceSchema>;
