import { type Static, Type } from 'typebox';
import { durationField, lineField, timeField } from './identity-fields.ts';
import { displayNameField, nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const ISSUER_MODES = ['inherited', 'isolated', 'federated'] as const;

const expressionField = (description: string) => Type.String({ minLength: 1, maxLength: 2000, description });

const urlField = () =>
  Type.String({
    minLength: 8,
    maxLength: 512,
    description: 'As tokens have it in `iss`. https, or http on this machine alone.',
  });
const clientIdField = () => lineField(255, 'What the issuer knows this platform by.');
const cliClientIdField = () =>
  lineField(255, 'The public client that the CLI logs in with; `clientId` unless told otherwise.');
const audiencesField = () =>
  Type.Array(lineField(255, 'An audience.'), {
    minItems: 1,
    maxItems: 16,
    description: 'A token has to be for one of these; for one of its clients unless told otherwise.',
  });
const modeField = () =>
  Type.Enum([...ISSUER_MODES], {
    description:
      '`inherited`: its users and groups are those of the instance. `isolated`: theirs are `<issuer>:<name>`, and never those of another. `federated`: isolated, but `claims.sharedGroups` may put users into groups of the instance.',
  });
const scopesField = () =>
  Type.Array(Type.String({ pattern: '^[\\x21\\x23-\\x5b\\x5d-\\x7e]{1,128}$' }), {
    minItems: 1,
    maxItems: 16,
    description: 'What is asked for at login: openid, profile and email unless told otherwise.',
  });
const clockSkewField = () => durationField('How far the clocks may differ; 30s unless told otherwise, at most 5m.');
const caField = () =>
  Type.String({ minLength: 1, maxLength: 65_536, description: 'Authorities to trust for its address alone, in PEM.' });

const CLAIM_EXPRESSIONS = {
  username: Type.Optional(expressionField('CEL over `claims` that gives a text; `claims.sub` unless told otherwise.')),
  groups: Type.Optional(
    expressionField('CEL over `claims` that gives a list of texts; `claims.groups`, where there are any.'),
  ),
  sharedGroups: Type.Optional(
    expressionField('For a federated issuer: CEL over `claims` that gives groups of the instance, by their names.'),
  ),
};
const ClaimMappingSchema = Type.Object(CLAIM_EXPRESSIONS, { title: 'ClaimMapping' });
const StoredClaimMappingSchema = Type.Object(
  {
    username: expressionField('CEL over `claims` that gives a text.'),
    groups: expressionField('CEL over `claims` that gives a list of texts.'),
    sharedGroups: CLAIM_EXPRESSIONS.sharedGroups,
  },
  { title: 'StoredClaimMapping' },
);

export const IssuerParamsSchema = Type.Object({ issuer: nameField('The name of the issuer.') });

export const IssuerSchema = Type.Object(
  {
    name: nameField('Unique in the instance, and never changed: users of isolated issuers have it in their names.'),
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
      description: 'What is set by configuration is changed there alone.',
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
    name: nameField('Unique in the instance, and never changed. `callback` is taken.'),
    url: urlField(),
    displayName: Type.Optional(displayNameField()),
    clientId: clientIdField(),
    cliClientId: Type.Optional(cliClientIdField()),
    clientSecret: Type.Optional(lineField(1024, 'Only for a confidential client. Kept sealed, and never shown.')),
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
      Type.Union([audiencesField(), Type.Null()], { description: 'null is its clients alone.' }),
    ),
    claims: Type.Optional(ClaimMappingSchema),
    scopes: Type.Optional(Type.Union([scopesField(), Type.Null()], { description: 'null is what is usual.' })),
    clockSkew: Type.Optional(clockSkewField()),
    ca: Type.Optional(Type.Union([caField(), Type.Null()], { description: 'null removes them.' })),
  },
  {
    title: 'IssuerPatch',
    description:
      'A JSON merge patch (RFC 7396); `claims` is replaced as a whole. Name, url and mode never change: they say who its users are.',
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
    issuer: Type.Optional(Type.String({ description: 'Where the user logged in. Absent for a one-time login.' })),
    createTime: SYSTEM_FIELDS.createTime,
    lastUsedTime: timeField('To the minute or so.'),
    expireTime: timeField('At the latest; earlier when it is not used.'),
    address: Type.String({ description: 'From where it was opened.' }),
    userAgent: Type.Optional(Type.String({ description: 'With what it was opened.' })),
    current: Type.Boolean({ description: 'Whether it is the one that asks.' }),
  },
  { title: 'Session' },
);

export const RevokeSessionsSchema = Type.Object(
  { user: lineField(512, 'Whose sessions and tokens end, as in grants: `alice`, or `<issuer>:alice`.') },
  { title: 'RevokeSessions' },
);

export const RevokedSessionsSchema = Type.Object(
  { sessions: Type.Integer({ minimum: 0, description: 'How many sessions ended.' }) },
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
          loginPath: Type.String({ description: 'Where a browser begins.' }),
        },
        { title: 'LoginIssuer' },
      ),
    ),
  },
  { title: 'LoginChoices' },
);

export const LoginQuerySchema = Type.Object({
  returnTo: Type.Optional(
    Type.String({ maxLength: 2048, description: 'A path of this platform to go to afterwards.' }),
  ),
});

/** What issuers are known to send back. */
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
  // Issuers add parameters of their own, and OAuth wants them to be ignored.
  { additionalProperties: true },
);

export const RedeemLoginSchema = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The one-time code, in any case, with or without dashes.',
    }),
    kind: Type.Enum(['browser', 'cli'], { description: 'A browser gets a cookie, a CLI gets a token.' }),
  },
  { title: 'RedeemLogin' },
);

export const RedeemedLoginSchema = Type.Object(
  {
    principal: PrincipalSchema,
    expireTime: timeField('From then on it is not taken any more.'),
    token: Type.Optional(Type.String({ description: 'For a CLI. Shown this once.' })),
  },
  { title: 'RedeemedLogin' },
);

export type IssuerResource = Static<typeof IssuerSchema>;
export type SessionResource = Static<typeof SessionSchema>;
export type LoginChoicesResource = Static<typeof LoginChoicesSchema>;
