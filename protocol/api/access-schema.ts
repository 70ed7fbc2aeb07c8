import { type Static, Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const ROLE_NAMES = ['viewer', 'deployer', 'approver', 'admin'] as const;
const SUBJECT_KIND_NAMES = ['user', 'group', 'serviceAccount'] as const;
const DENIAL_NAMES = ['unknownPermission', 'unknownResource', 'noGrant', 'outsideScope', 'rolesOutsideScope'] as const;

const LINE = { minLength: 1, maxLength: 512, pattern: '^\\P{Cc}+$' };
const MAX_PAGE_SIZE = 1000;
const MAX_GROUPS = 1000;

const roleField = (description: string) => Type.Enum([...ROLE_NAMES], { description });
const pathField = (description: string) =>
  Type.String({
    pattern: '^(workspaces|targets)/[a-z0-9]([-a-z0-9]*[a-z0-9])?$',
    maxLength: 80,
    description,
    examples: ['workspaces/root'],
  });
const permissionField = (description: string) =>
  Type.String({ pattern: '^[a-z0-9][-a-zA-Z0-9.]*$', maxLength: 63, description, examples: ['workspaces.read'] });
const attributesField = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

const SUBJECT_FIELDS = {
  kind: Type.Enum([...SUBJECT_KIND_NAMES]),
  id: Type.String({ ...LINE, description: 'As whoever authenticates it says.' }),
};
const SubjectSchema = Type.Object(SUBJECT_FIELDS, { title: 'Subject' });

// Grants

const GIFT_FIELDS = {
  role: Type.Optional(roleField('What the subject is there, and on everything below.')),
  permission: Type.Optional(nameField("In place of a role: an addon's permission, by the name of its schema.")),
  attributes: Type.Optional(attributesField('With a permission: values that its schema allows.')),
};

export const WorkspaceGrantsParamsSchema = Type.Object({ workspace: nameField('The name of the workspace.') });
export const WorkspaceGrantParamsSchema = Type.Object({
  workspace: nameField('The name of the workspace.'),
  grant: nameField('The name of the grant.'),
});
export const TargetGrantsParamsSchema = Type.Object({ target: nameField('The name of the target.') });
export const TargetGrantParamsSchema = Type.Object({
  target: nameField('The name of the target.'),
  grant: nameField('The name of the grant.'),
});

export const GrantListQuerySchema = Type.Object({
  inherited: Type.Optional(
    Type.Boolean({
      description: 'Also what flows down from above, as far as the caller may read the grants there.',
    }),
  ),
});

export const NewGrantSchema = Type.Object(
  {
    name: Type.Optional(nameField('Unique on its resource; its uid unless told otherwise.')),
    subject: SubjectSchema,
    ...GIFT_FIELDS,
  },
  { title: 'NewGrant', description: 'A role, or a permission with attributes.' },
);

export const GrantSchema = Type.Object(
  {
    name: nameField('Unique on its resource, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    resource: pathField('What it is on: it holds there and on everything below.'),
    resourceUid: Type.String({
      format: 'uuid',
      description: 'Of that very one: another of its name has no part in it.',
    }),
    subject: SubjectSchema,
    ...GIFT_FIELDS,
    grantedBy: Type.String({ description: 'Kind and id of whoever granted it.' }),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Grant' },
);

// Permission schemas

export const PermissionSchemaParamsSchema = Type.Object({
  permissionSchema: nameField('The name of the permission schema, which is the permission.'),
});

const SPEC_FIELDS = {
  description: Type.Optional(Type.String({ ...LINE, description: 'For people, on one line.' })),
  resourceType: Type.Enum(['target'], { description: 'What the permission is about.' }),
  attributesSchema: attributesField(
    'A JSON Schema of the attribute values, of type object, without references and regular expressions.',
  ),
};
const ImplyingRoleSchema = Type.Object(
  { role: roleField('Whoever has it has the permission too.'), attributes: attributesField('With these values.') },
  { title: 'ImplyingRole' },
);
const rolesField = () => Type.Array(ImplyingRoleSchema, { maxItems: ROLE_NAMES.length });

export const PutPermissionSchemaSchema = Type.Object(
  { ...SPEC_FIELDS, roles: Type.Optional(rolesField()) },
  { title: 'PutPermissionSchema' },
);

export const PermissionSchemaSchema = Type.Object(
  {
    name: nameField('The permission. Unique in the whole instance, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    ...SPEC_FIELDS,
    roles: rolesField(),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'PermissionSchema' },
);

// Questions

const subjectField = () =>
  Type.Optional(
    Type.Object(
      {
        ...SUBJECT_FIELDS,
        groups: Type.Optional(
          Type.Array(Type.String(LINE), {
            maxItems: MAX_GROUPS,
            description: 'Those that count as his. Only his issuer knows which they are, and tells when he logs in.',
          }),
        ),
      },
      { title: 'AskedSubject', description: 'The caller himself unless told otherwise.' },
    ),
  );
const QUESTION_FIELDS = {
  permission: permissionField('One of ours, such as `workspaces.read`, or the name of a permission schema.'),
  resource: pathField('What it is asked on.'),
};
const PAGE_FIELDS = {
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      description: 'At most so many items; 100 unless told otherwise.',
    }),
  ),
  pageToken: Type.Optional(
    Type.String({ minLength: 1, description: 'The `nextPageToken` of the page before, for the same question.' }),
  ),
};
const nextPageToken = Type.Optional(Type.String({ description: 'Present when there may be more.' }));

export const IdentitySchema = Type.Object(
  {
    kind: Type.String({ description: 'A kind of subject; `admin` for the credential of the instance itself.' }),
    id: Type.String(),
    groups: Type.Array(Type.String()),
    instanceAdmin: Type.Boolean({ description: 'Whether the caller may do everything without a grant.' }),
    within: Type.Optional(pathField('What the token is narrowed to.')),
    roles: Type.Optional(Type.Array(roleField('One that the token is narrowed to.'))),
  },
  { title: 'Identity' },
);

export const CheckAccessSchema = Type.Object({ subject: subjectField(), ...QUESTION_FIELDS }, { title: 'CheckAccess' });
export const AccessVerdictSchema = Type.Object(
  {
    allowed: Type.Boolean(),
    attributes: Type.Array(attributesField('One set of values.'), {
      description: "Of an addon's permission: with any of these sets of values.",
    }),
  },
  { title: 'AccessVerdict' },
);

export const LookupPermissionsSchema = Type.Object(
  { subject: subjectField(), permission: QUESTION_FIELDS.permission, ...PAGE_FIELDS },
  { title: 'LookupPermissions' },
);
const PermittedResourceSchema = Type.Object(
  {
    resource: pathField('What the subject has the permission on.'),
    attributes: Type.Array(attributesField('One set of values.')),
  },
  { title: 'PermittedResource' },
);
export const PermittedResourcesSchema = Type.Object(
  { items: Type.Array(PermittedResourceSchema), nextPageToken },
  { title: 'PermittedResources' },
);

export const LookupSubjectsSchema = Type.Object({ ...QUESTION_FIELDS, ...PAGE_FIELDS }, { title: 'LookupSubjects' });
export const PermittedSubjectsSchema = Type.Object(
  { items: Type.Array(SubjectSchema), nextPageToken },
  { title: 'PermittedSubjects' },
);

export const ExplainAccessSchema = Type.Object(
  { subject: subjectField(), ...QUESTION_FIELDS },
  { title: 'ExplainAccess' },
);
const ReasonSchema = Type.Object(
  {
    kind: Type.Enum(['grant', 'instanceAdmin']),
    subject: Type.Optional(SubjectSchema),
    ...GIFT_FIELDS,
    grant: Type.Optional(
      Type.String({ description: 'The path of the grant, where the caller may see what it is on.' }),
    ),
    path: Type.Array(pathField('A step.'), {
      description: 'The way that it flows down, as far up as the caller may see.',
    }),
  },
  { title: 'AccessReason' },
);
export const AccessExplanationSchema = Type.Object(
  {
    allowed: Type.Boolean(),
    reasons: Type.Array(ReasonSchema, { description: 'When allowed: each of them alone is enough.' }),
    denial: Type.Optional(
      Type.Enum([...DENIAL_NAMES], { description: 'When denied: nothing granted, or a token that is too narrow.' }),
    ),
    needed: Type.Optional(
      Type.Object(
        {
          on: pathField('There, or on anything above it.'),
          roles: Type.Array(roleField('Any of these.')),
          permission: Type.Optional(nameField('Or this permission itself.')),
        },
        { title: 'NeededAccess' },
      ),
    ),
  },
  { title: 'AccessExplanation' },
);

export type GrantResource = Static<typeof GrantSchema>;
export type PermissionSchemaResource = Static<typeof PermissionSchemaSchema>;
export type AccessReasonResource = Static<typeof ReasonSchema>;
export type AccessExplanationResource = Static<typeof AccessExplanationSchema>;
export type IdentityResource = Static<typeof IdentitySchema>;
export type PermittedResourceResource = Static<typeof PermittedResourceSchema>;
