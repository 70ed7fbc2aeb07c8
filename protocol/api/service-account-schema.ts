import { type Static, Type } from 'typebox';
import { durationField, timeField } from './identity-fields.ts';
import { displayNameField, labelsField, labelsPatchField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

export const TOKEN_ROLES = ['viewer', 'deployer', 'approver', 'admin'] as const;

const PARENT_PARAMS = { workspace: nameField('The name of the workspace.') };
const ACCOUNT_PARAMS = { ...PARENT_PARAMS, serviceAccount: nameField('The name of the service account.') };

export const ServiceAccountListParamsSchema = Type.Object(PARENT_PARAMS);
export const ServiceAccountParamsSchema = Type.Object(ACCOUNT_PARAMS);

export const ServiceAccountSchema = Type.Object(
  {
    name: nameField('Unique in its workspace, and never changed.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The workspace that it is in.'),
    displayName: Type.Optional(displayNameField()),
    labels: labelsField(),
    disabled: Type.Boolean({ description: 'While it is, none of its tokens is taken.' }),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'ServiceAccount' },
);

export const NewServiceAccountSchema = Type.Object(
  {
    name: nameField('Unique in its workspace, and never changed.'),
    displayName: Type.Optional(displayNameField()),
    labels: Type.Optional(labelsField()),
  },
  { title: 'NewServiceAccount' },
);

export const ServiceAccountPatchSchema = Type.Object(
  {
    displayName: Type.Optional(Type.Union([displayNameField(), Type.Null()], { description: 'null removes it.' })),
    labels: Type.Optional(labelsPatchField()),
    disabled: Type.Optional(Type.Boolean()),
  },
  { title: 'ServiceAccountPatch', description: 'A JSON merge patch (RFC 7396): what is absent stays as it is.' },
);

// Tokens of service accounts

const tokenIdField = () =>
  Type.String({
    pattern: '^[a-z2-7]{16}$',
    description: 'The id of the token, which also stands in the token itself.',
  });

export const TokenParamsSchema = Type.Object({ ...ACCOUNT_PARAMS, token: tokenIdField() });

const TokenScopeSchema = Type.Object(
  {
    within: Type.Optional(
      Type.String({
        pattern: '^(workspaces|targets)/[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
        description: 'Nothing outside of this, for example `workspaces/web`.',
      }),
    ),
    roles: Type.Optional(
      Type.Array(Type.Enum([...TOKEN_ROLES]), {
        minItems: 1,
        maxItems: TOKEN_ROLES.length,
        uniqueItems: true,
        description: 'Nothing that these roles do not imply.',
      }),
    ),
  },
  { title: 'TokenScope', description: 'Makes a token less than its service account. It never makes it more.' },
);

const TOKEN_FIELDS = {
  name: tokenIdField(),
  displayName: Type.Optional(displayNameField()),
  scope: TokenScopeSchema,
  status: Type.Enum(['active', 'expired'], { description: '`expired` ones are removed after a while.' }),
  createTime: SYSTEM_FIELDS.createTime,
  expireTime: timeField('From then on it is not taken any more.'),
  lastUsedTime: Type.Optional(timeField('To the minute or so. Absent while it was never used.')),
  rotatedTo: Type.Optional(tokenIdField()),
};

export const TokenSchema = Type.Object(TOKEN_FIELDS, { title: 'ServiceAccountToken' });

/** The one answer that holds the secret. */
export const MintedTokenSchema = Type.Object(
  { ...TOKEN_FIELDS, token: Type.String({ description: 'Shown this once, and not kept.' }) },
  { title: 'MintedServiceAccountToken' },
);

export const NewTokenSchema = Type.Object(
  {
    displayName: Type.Optional(displayNameField()),
    ttl: Type.Optional(durationField('How long it is valid, such as 30d; 90d unless told otherwise.')),
    scope: Type.Optional(TokenScopeSchema),
  },
  { title: 'NewServiceAccountToken' },
);

export const RotateTokenSchema = Type.Object(
  {
    overlap: Type.Optional(durationField('How long the old one is still taken; not at all unless told otherwise.')),
    ttl: Type.Optional(durationField('How long the new one is valid; as long as the old one was made for.')),
  },
  { title: 'RotateServiceAccountToken' },
);

export type ServiceAccountResource = Static<typeof ServiceAccountSchema>;
export type ServiceAccountTokenResource = Static<typeof TokenSchema>;
