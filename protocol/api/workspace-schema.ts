import { type Static, Type } from 'typebox';
import { displayNameField, labelsField, labelsPatchField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const kindField = () => Type.Enum(['folder'], { description: 'What stands at this place of the tree.' });

export const WorkspaceParamsSchema = Type.Object({ workspace: nameField('The name of the workspace.') });

export const WorkspaceListQuerySchema = Type.Object({
  parent: Type.Optional(nameField('Only the workspaces directly in this one.')),
});

export const WorkspaceSchema = Type.Object(
  {
    name: nameField('Unique in the whole instance, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    kind: kindField(),
    parent: Type.Optional(nameField('The workspace that this one is in. Only `root` has none.')),
    displayName: Type.Optional(displayNameField()),
    labels: labelsField(),
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
    displayName: Type.Optional(displayNameField()),
    labels: Type.Optional(labelsField()),
  },
  { title: 'NewWorkspace' },
);

export const WorkspacePatchSchema = Type.Object(
  {
    displayName: Type.Optional(Type.Union([displayNameField(), Type.Null()], { description: 'null removes it.' })),
    labels: Type.Optional(labelsPatchField()),
  },
  { title: 'WorkspacePatch', description: 'A JSON merge patch (RFC 7396): what is absent stays as it is.' },
);

export type WorkspaceResource = Static<typeof WorkspaceSchema>;
