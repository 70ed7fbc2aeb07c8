import { type Static, Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const ROLE_NAMES = ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'] as const;
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
  id: Type.String({ ...LINE, description: 'The id that the authenticator gives the subject.' }),
};
const SubjectSchema = Type.Object(SUBJECT_FIELDS, { title: 'Subject' });

// Grants

const GIFT_FIELDS = {
  role: Type.Optional(roleField('The role that the subject has on the resource and everything below it.')),
  permission: Type.Optional(
    nameField("Instead of a role: an addon's permission, by the name of its permission schema."),
  ),
  attributes: Type.Optional(attributesField('With a permission: attribute values that its schema allows.')),
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
      description: 'Include grants inherited from above, as far as the caller may read them.',
    }),
  ),
});

export const NewGrantSchema = Type.Object(
  {
    name: Type.Optional(nameField('Unique on its resource; defaults to its uid.')),
    subject: SubjectSchema,
    ...GIFT_FIELDS,
  },
  { title: 'NewGrant', description: 'A role, or a permission with attributes.' },
);

export const GrantSchema = Type.Object(
  {
    name: nameField('Unique on its resource. Immutable.'),
    uid: SYSTEM_FIELDS.uid,
    resource: pathField('The resource that the grant is on. The grant also applies to everything below it.'),
    resourceUid: Type.String({
      format: 'uuid',
      description: 'The uid of that resource. A later resource with the same name does not inherit the grant.',
    }),
    subject: SubjectSchema,
    ...GIFT_FIELDS,
    grantedBy: Type.String({ description: 'The subject that created the grant, as kind and id.' }),
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
  description: Type.Optional(Type.String({ ...LINE, description: 'A one-line description.' })),
  resourceType: Type.Enum(['target'], { description: 'The type of resource that the permission applies to.' }),
  attributesSchema: attributesField(
    'A JSON Schema for the attribute values. Its type is object; it has no references and no regular expressions.',
  ),
};
const ImplyingRoleSchema = Type.Object(
  {
    role: roleField('A role that implies the permission.'),
    attributes: attributesField('The attribute values that the role implies.'),
  },
  { title: 'ImplyingRole' },
);
const rolesField = () => Type.Array(ImplyingRoleSchema, { maxItems: ROLE_NAMES.length });

export const PutPermissionSchemaSchema = Type.Object(
  { ...SPEC_FIELDS, roles: Type.Optional(rolesField()) },
  { title: 'PutPermissionSchema' },
);

export const PermissionSchemaSchema = Type.Object(
  {
    name: nameField('The permission. Unique in the whole instance. Immutable.'),
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
            description:
              'The groups to evaluate for the subject. Group membership is known only to the issuer, which reports it at login.',
          }),
        ),
      },
      { title: 'AskedSubject', description: 'The subject to evaluate; defaults to the caller.' },
    ),
  );
const QUESTION_FIELDS = {
  permission: permissionField('A built-in permission, such as `workspaces.read`, or the name of a permission schema.'),
  resource: pathField('The resource to evaluate.'),
};
const PAGE_FIELDS = {
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      description: 'The maximum number of items; default 100.',
    }),
  ),
  pageToken: Type.Optional(
    Type.String({ minLength: 1, description: 'The `nextPageToken` of the previous page of the same query.' }),
  ),
};
const nextPageToken = Type.Optional(Type.String({ description: 'Present when there may be more items.' }));

export const IdentitySchema = Type.Object(
  {
    kind: Type.String({ description: 'A kind of subject; `admin` for the credential of the instance itself.' }),
    id: Type.String(),
    groups: Type.Array(Type.String()),
    instanceAdmin: Type.Boolean({ description: 'Whether the caller may do everything without a grant.' }),
    within: Type.Optional(pathField('The resource that the token is restricted to.')),
    roles: Type.Optional(Type.Array(roleField('A role that the token is restricted to.'))),
  },
  { title: 'Identity' },
);

export const CheckAccessSchema = Type.Object({ subject: subjectField(), ...QUESTION_FIELDS }, { title: 'CheckAccess' });
export const AccessVerdictSchema = Type.Object(
  {
    allowed: Type.Boolean(),
    attributes: Type.Array(attributesField('One set of values.'), {
      description: "For an addon's permission: the sets of values; any one of them is permitted.",
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
    resource: pathField('A resource that the subject has the permission on.'),
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
      Type.String({
        description: 'The path of the grant. Present when the caller may see the resource that the grant is on.',
      }),
    ),
    path: Type.Array(pathField('A step.'), {
      description: 'The path along which the grant is inherited, as far up as the caller may see.',
    }),
  },
  { title: 'AccessReason' },
);
export const AccessExplanationSchema = Type.Object(
  {
    allowed: Type.Boolean(),
    reasons: Type.Array(ReasonSchema, { description: 'When allowed: the reasons. Each is sufficient on its own.' }),
    denial: Type.Optional(
      Type.Enum([...DENIAL_NAMES], {
        description: 'When denied: whether a grant is missing or the token is too narrow.',
      }),
    ),
    needed: Type.Optional(
      Type.Object(
        {
          on: pathField('The resource to grant access on, or any resource above it.'),
          roles: Type.Array(roleField('A role that is sufficient.')),
          permission: Type.Optional(nameField('The permission that is sufficient.')),
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
