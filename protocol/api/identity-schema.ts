import { type Static, Type } from 'typebox';
import { durationField, lineField, timeField } from './identity-fields.ts';
import { displayNameField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const ISSUER_MODES = ['inherited', 'isolated', 'federated'] as const;

const expressionField = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description });

const urlField = () =>
  Type.String({
    minLength: 8,
    maxLength: 512,
    description: 'The `iss` of its tokens. Must be https; http is allowed only on this machine.',
  });
const clientIdField = () => lineField(255, 'The client id of this platform at the issuer.');
const cliClientIdField = () => lineField(255, 'The public client that the CLI logs in with; defaults to `clientId`.');
const audiencesField = () =>
  Type.Array(lineField(255, 'An audience.'), {
    minItems: 1,
    maxItems: 16,
    description: 'Tokens must have one of these audiences; defaults to the client ids of this issuer.',
  });
const modeField = () =>
  Type.Enum([...ISSUER_MODES], {
    description:
      '`inherited`: its users and groups are those of the instance. `isolated`: they are named `<issuer>:<name>` and never match those of another issuer. `federated`: isolated, but `claims.sharedGroups` may put users into groups of the instance.',
  });
const scopesField = () =>
  Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$' }), {
    minItems: 1,
    maxItems: 16,
    description: 'The scopes requested at login; default openid, profile and email.',
  });
const clockSkewField = () => durationField('The tolerated clock difference; default 30s, at most 5m.');
const caField = () =>
  Type.String({
    minLength: 1,
    maxLength: 65_536,
    description: "Certificate authorities to trust for the issuer's address only, in PEM.",
  });

const CLAIM_EXPRESSIONS = {
  username: Type.Optional(expressionField('CEL over `claims` that returns a string; default `claims.sub`.')),
  groups: Type.Optional(
    expressionField('CEL over `claims` that returns a list of strings; defaults to `claims.groups` if present.'),
  ),
  sharedGroups: Type.Optional(
    expressionField('For a federated issuer: CEL over `claims` that returns names of groups of the instance.'),
  ),
};
const ClaimMappingSchema = Type.Object(CLAIM_EXPRESSIONS, { title: 'ClaimMapping' });
const StoredClaimMappingSchema = Type.Object(
  {
    username: expressionField('CEL over `claims` that returns a string.'),
    groups: expressionField('CEL over `claims` that returns a list of strings.'),
    sharedGroups: CLAIM_EXPRESSIONS.sharedGroups,
  },
  { title: 'StoredClaimMapping' },
);

export const IssuerParamsSchema = Type.Object({ issuer: nameField('The name of the issuer.') });

export const IssuerSchema = Type.Object(
  {
    name: nameField('Unique in the instance. Immutable, because the names of users of isolated issuers contain it.'),
    uid: SYSTEM_FIELDS.uid,
    url: urlField(),
    displayName: Type.Optional(displayNameField()),
    clientId: clientIdField(),
    cliClientId: Type.Optional(cliClientIdField()),
    hasClientSecret: Type.Boolean({
      description: 'Whether the client has a secret; the secret itself is never shown.',
    }),
    audiences: audiencesField(),
    mode: modeField(),
    claims: StoredClaimMappingSchema,
    scopes: scopesField(),
    clockSkew: clockSkewField(),
    ca: Type.Optional(caField()),
    source: Type.Enum(['api', 'configuration'], {
      description: 'An issuer from the configuration can only be changed there.',
    }),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    generation: SYSTEM_FIELDS.generation,
    observedGeneration: SYSTEM_FIELDS.observedGeneration,
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Issuer' },
);

export const NewIssuerSchema = Type.Object(
  {
    name: nameField('Unique in the instance. Immutable. `callback` is reserved.'),
    url: urlField(),
    displayName: Type.Optional(displayNameField()),
    clientId: clientIdField(),
    cliClientId: Type.Optional(cliClientIdField()),
    clientSecret: Type.Optional(lineField(1024, 'Only for a confidential client. Stored sealed and never shown.')),
    audiences: Type.Optional(audiencesField()),
    mode: modeField(),
    claims: Type.Optional(ClaimMappingSchema),
    scopes: Type.Optional(scopesField()),
    clockSkew: Type.Optional(clockSkewField()),
    ca: Type.Optional(caField()),
  },
  { title: 'NewIssuer' },
);

export const IssuerPatchSchema = Type.Object(
  {
    displayName: Type.Optional(Type.Union([displayNameField(), Type.Null()], { description: 'null removes it.' })),
    clientId: Type.Optional(clientIdField()),
    cliClientId: Type.Optional(Type.Union([cliClientIdField(), Type.Null()], { description: 'null removes it.' })),
    clientSecret: Type.Optional(
      Type.Union([lineField(1024, 'A new secret.'), Type.Null()], { description: 'null makes it a public client.' }),
    ),
    audiences: Type.Optional(
      Type.Union([audiencesField(), Type.Null()], { description: 'null restores the client ids of this issuer.' }),
    ),
    claims: Type.Optional(ClaimMappingSchema),
    scopes: Type.Optional(Type.Union([scopesField(), Type.Null()], { description: 'null restores the default.' })),
    clockSkew: Type.Optional(clockSkewField()),
    ca: Type.Optional(Type.Union([caField(), Type.Null()], { description: 'null removes them.' })),
  },
  {
    title: 'IssuerPatch',
    description:
      'A JSON merge patch (RFC 7396); `claims` is replaced as a whole. Name, url and mode are immutable because they identify its users.',
  },
);

// Sessions and login

const PrincipalSchema = Type.Object(
  {
    kind: Type.Enum(['user', 'serviceAccount', 'admin']),
    id: Type.String(),
  },
  { title: 'LoginPrincipal' },
);

export const SessionParamsSchema = Type.Object({
  session: Type.String({ format: 'uuid', description: 'The uid of the session.' }),
});

export const SessionSchema = Type.Object(
  {
    uid: SYSTEM_FIELDS.uid,
    kind: Type.Enum(['browser', 'cli']),
    issuer: Type.Optional(
      Type.String({ description: 'The issuer that the user logged in with. Absent for a one-time login.' }),
    ),
    createTime: SYSTEM_FIELDS.createTime,
    lastUsedTime: timeField('Accurate to about a minute.'),
    expireTime: timeField('The latest expiry; the session ends earlier when it is not used.'),
    address: Type.String({ description: 'The address that opened the session.' }),
    userAgent: Type.Optional(Type.String({ description: 'The user agent that opened the session.' })),
    current: Type.Boolean({ description: 'Whether it is the session of this request.' }),
  },
  { title: 'Session' },
);

export const RevokeSessionsSchema = Type.Object(
  { user: lineField(512, 'The user whose sessions and tokens end, as in grants: `alice`, or `<issuer>:alice`.') },
  { title: 'RevokeSessions' },
);

export const RevokedSessionsSchema = Type.Object(
  { sessions: Type.Integer({ minimum: 0, description: 'The number of sessions that ended.' }) },
  { title: 'RevokedSessions' },
);

export const LoginChoicesSchema = Type.Object(
  {
    issuers: Type.Array(
      Type.Object(
        {
          name: nameField('The name of the issuer.'),
          displayName: Type.Optional(displayNameField()),
          url: urlField(),
          clientId: clientIdField(),
          scopes: scopesField(),
          ca: Type.Optional(caField()),
          loginPath: Type.String({ description: 'The path at which a browser login starts.' }),
        },
        { title: 'LoginIssuer' },
      ),
    ),
  },
  { title: 'LoginChoices' },
);

export const LoginQuerySchema = Type.Object({
  returnTo: Type.Optional(
    Type.String({ maxLength: 2048, description: 'A path of this platform to redirect to afterwards.' }),
  ),
});

/** The query parameters of an issuer's redirect. */
export const LoginCallbackQuerySchema = Type.Object(
  Object.fromEntries(
    [
      'code',
      'state',
      'iss',
      'session_state',
      'scope',
      'authuser',
      'hd',
      'prompt',
      'error',
      'error_description',
      'error_uri',
    ].map((name) => [name, Type.Optional(Type.String({ maxLength: 4096 }))]),
  ),
  // Issuers add parameters of their own, and OAuth requires clients to ignore those.
  { additionalProperties: true },
);

export const RedeemLoginSchema = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The one-time code; case and dashes are ignored.',
    }),
    kind: Type.Enum(['browser', 'cli'], { description: 'A browser gets a cookie, a CLI gets a token.' }),
  },
  { title: 'RedeemLogin' },
);

export const RedeemedLoginSchema = Type.Object(
  {
    principal: PrincipalSchema,
    expireTime: timeField('When the login expires.'),
    token: Type.Optional(Type.String({ description: 'For a CLI only. Shown once.' })),
  },
  { title: 'RedeemedLogin' },
);

export type IssuerResource = Static<typeof IssuerSchema>;
export type SessionResource = Static<typeof SessionSchema>;
export type LoginChoicesResource = Static<typeof LoginChoicesSchema>;
