import { type Static, Type } from 'typebox';
import { durationField, timeField } from './identity-fields.ts';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_USES = 10_000;
const MAX_TARGETS = 100;

const PARENT_PARAMS = { workspace: nameField('The name of the workspace.') };

export const BootstrapTokensParamsSchema = Type.Object(PARENT_PARAMS);
export const BootstrapTokenParamsSchema = Type.Object({
  ...PARENT_PARAMS,
  bootstrapToken: nameField('The name of the bootstrap token.'),
});

const usesField = () =>
  Type.Integer({ minimum: 1, maximum: MAX_USES, description: 'How many machines can enrol with it; one unless told.' });

const targetsField = () =>
  Type.Array(nameField('The name of a target.'), {
    maxItems: MAX_TARGETS,
    uniqueItems: true,
    description:
      'The only targets that can be enrolled with it. One that is there already, and has a fleetlet, can only be enrolled with a token that names it.',
  });

const correlationField = () =>
  Type.String({
    pattern: '^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$',
    maxLength: 63,
    description: 'What targets that enrol with it carry as the label `fleetshift.io/correlation`.',
  });

const FIELDS = {
  name: nameField('Unique in its workspace.'),
  workspace: nameField('The workspace that targets come into.'),
  status: Type.Enum(['active', 'consumed', 'expired'], { description: 'The others are removed after a while.' }),
  uses: usesField(),
  used: Type.Integer({ minimum: 0, description: 'How many machines have enrolled with it.' }),
  targets: targetsField(),
  targetType: Type.Optional(nameField('The only type of targets that can be enrolled with it.')),
  correlation: Type.Optional(correlationField()),
  createTime: SYSTEM_FIELDS.createTime,
  expireTime: timeField('From then on it is not taken any more.'),
};

export const BootstrapTokenSchema = Type.Object(FIELDS, { title: 'BootstrapToken' });

/** The one answer that holds the secret. */
export const MintedBootstrapTokenSchema = Type.Object(
  { ...FIELDS, token: Type.String({ description: 'Shown this once, and not kept.' }) },
  { title: 'MintedBootstrapToken' },
);

export const NewBootstrapTokenSchema = Type.Object(
  {
    name: Type.Optional(nameField('Unique in its workspace; made up unless told.')),
    uses: Type.Optional(usesField()),
    ttl: Type.Optional(durationField('How long it is valid, up to 30d; 1h unless told otherwise.')),
    targets: Type.Optional(targetsField()),
    targetType: Type.Optional(nameField('The only type of targets that can be enrolled with it.')),
    correlation: Type.Optional(correlationField()),
  },
  { title: 'NewBootstrapToken' },
);

export type BootstrapTokenResource = Static<typeof BootstrapTokenSchema>;
