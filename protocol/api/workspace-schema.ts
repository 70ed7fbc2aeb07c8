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
          'Gates that every rollout of every deployment here and below begins with, beside its own and those of workspaces further up; also rollouts from above that touch a target in here.',
      }),
    },
    { title: 'WorkspacePolicy', description: 'What those who deploy cannot weaken.' },
  );

export const WorkspaceParamsSchema = Type.Object({ workspace: nameField('The name of the workspace.') });

export const WorkspaceListQuerySchema = Type.Object({
  parent: Type.Optional(nameField('Only the workspaces directly in this one.')),
  subtree: Type.Optional(Type.Boolean({ description: 'With `parent`: what is in it on any level.' })),
});

export const WorkspaceSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    kind: kindField(),
    parent: Type.Optional(nameField('The workspace that this one is in. Only `root` has none.')),
    slug: Type.Optional(kebabField('Of a domain: what other systems call it by, unique and never changed.')),
    region: Type.Optional(kebabField("Where a domain is pinned to, if it is. A project's is its domain's.")),
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
    name: nameField('Unique in the whole instance, and never changed.'),
    kind: Type.Optional(kindField()),
    parent: Type.Optional(nameField('The workspace that this one is in; `root` unless told otherwise.')),
    slug: Type.Optional(kebabField('Of a domain only; its name unless told otherwise. It is never changed.')),
    region: Type.Optional(kebabField('Of a domain only.')),
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
      Type.Union([kebabField('Of a domain only.'), Type.Null()], {
        description: 'Of a domain, and of the projects in it with that. null removes it.',
      }),
    ),
    policy: Type.Optional(
      Type.Union([policyField(), Type.Null()], { description: 'Replaced as a whole. null removes it.' }),
    ),
  },
  { title: 'WorkspacePatch', description: 'A JSON merge patch (RFC 7396): what is absent stays as it is.' },
);

export const MoveWorkspaceSchema = Type.Object(
  { parent: nameField('The workspace that it is to be in.') },
  { title: 'MoveWorkspace' },
);

const MoveChangeSchema = Type.Object(
  {
    kind: Type.String({
      description: 'What changes, in one word for programs: `parent`, `workspaces`, `targets`, `deployment`.',
    }),
    message: Type.String({ description: 'The same for people.' }),
    from: Type.Optional(Type.String({ description: 'What it was.' })),
    to: Type.Optional(Type.String({ description: 'What it is afterwards.' })),
    count: Type.Optional(Type.Integer({ minimum: 0, description: 'How many it concerns.' })),
  },
  { title: 'MoveChange' },
);

export const MovedWorkspaceSchema = Type.Object(
  {
    workspace: WorkspaceSchema,
    changes: Type.Array(MoveChangeSchema, {
      description: 'All that the move changes. Empty when it was there already.',
    }),
  },
  { title: 'MovedWorkspace' },
);

export type WorkspaceResource = Static<typeof WorkspaceSchema>;
