import { type Static, Type } from 'typebox';
import { durationField, timeField } from './identity-fields.ts';
import { displayNameField, labelsField, labelsPatchField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

export const TOKEN_ROLES = ['viewer', 'deployer', 'approver', 'cluster-viewer', 'cluster-editor', 'admin'] as const;

const PARENT_PARAMS = { workspace: nameField('The name of the workspace.') };
const ACCOUNT_PARAMS = { ...PARENT_PARAMS, serviceAccount: nameField('The name of the service account.') };

export const ServiceAccountListParamsSchema = Type.Object(PARENT_PARAMS);
export const ServiceAccountParamsSchema = Type.Object(ACCOUNT_PARAMS);

export const ServiceAccountSchema = Type.Object(
  {
    name: nameField('Unique in its workspace. Immutable.'),
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The workspace of the service account.'),
    displayName: Type.Optional(displayNameField()),
    labels: labelsField(),
    disabled: Type.Boolean({ description: 'While true, its tokens are refused.' }),
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
    name: nameField('Unique in its workspace. Immutable.'),
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
  { title: 'ServiceAccountPatch', description: 'A JSON merge patch (RFC 7396). Absent fields stay unchanged.' },
);

// Tokens of service accounts

const tokenIdField = () =>
  Type.String({
    pattern: '^[a-z2-7]{16}$',
    description: 'The id of the token, which is also part of the token itself.',
  });

export const TokenParamsSchema = Type.Object({ ...ACCOUNT_PARAMS, token: tokenIdField() });

const TokenScopeSchema = Type.Object(
  {
    within: Type.Optional(
      Type.String({
        pattern: '^(workspaces|targets)/[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$',
        description: 'Restricts the token to this resource and everything below it, such as `workspaces/web`.',
      }),
    ),
    roles: Type.Optional(
      Type.Array(Type.Enum([...TOKEN_ROLES]), {
        minItems: 1,
        maxItems: TOKEN_ROLES.length,
        uniqueItems: true,
        description: 'Restricts the token to permissions that these roles imply.',
      }),
    ),
  },
  {
    title: 'TokenScope',
    description: 'Restricts a token to less than its service account may do. A scope never adds permissions.',
  },
);

const TOKEN_FIELDS = {
  name: tokenIdField(),
  displayName: Type.Optional(displayNameField()),
  scope: TokenScopeSchema,
  status: Type.Enum(['active', 'expired'], { description: 'Tokens that are `expired` are removed after a while.' }),
  createTime: SYSTEM_FIELDS.createTime,
  expireTime: timeField('When the token expires.'),
  lastUsedTime: Type.Optional(timeField('Accurate to about a minute. Absent if the token was never used.')),
  rotatedTo: Type.Optional(tokenIdField()),
};

export const TokenSchema = Type.Object(TOKEN_FIELDS, { title: 'ServiceAccountToken' });

/** The only response that contains the secret. */
export const MintedTokenSchema = Type.Object(
  { ...TOKEN_FIELDS, token: Type.String({ description: 'Shown once and not stored.' }) },
  { title: 'MintedServiceAccountToken' },
);

export const NewTokenSchema = Type.Object(
  {
    displayName: Type.Optional(displayNameField()),
    ttl: Type.Optional(durationField('How long the token is valid, such as 30d; default 90d.')),
    scope: Type.Optional(TokenScopeSchema),
  },
  { title: 'NewServiceAccountToken' },
);

export const RotateTokenSchema = Type.Object(
  {
    overlap: Type.Optional(durationField('How long the old token stays valid; by default it ends at once.')),
    ttl: Type.Optional(durationField('How long the new token is valid; defaults to the lifetime of the old one.')),
  },
  { title: 'RotateServiceAccountToken' },
);

export type ServiceAccountResource = Static<typeof ServiceAccountSchema>;
export type ServiceAccountTokenResource = Static<typeof TokenSchema>;
