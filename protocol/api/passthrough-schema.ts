import { type Static, Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const issuer = nameField('The issuer that signs the tokens; one that the platform trusts.');
const audience = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  description: "The audience of the tokens: the cluster's own, which the platform itself does not accept.",
  examples: ['kubernetes-prod-1'],
});

export const PutTargetPassthroughSchema = Type.Object({ issuer, audience }, { title: 'PutTargetPassthrough' });

export const TargetPassthroughSchema = Type.Object(
  {
    target: nameField('The target whose API takes the tokens.'),
    workspace: nameField('The workspace that it was in when this was set. In another one it takes no tokens.'),
    issuer,
    audience,
    createTime: SYSTEM_FIELDS.createTime,
  },
  {
    title: 'TargetPassthrough',
    description: 'Which tokens go through the platform to the API server of a target as they are.',
  },
);

export type TargetPassthroughResource = Static<typeof TargetPassthroughSchema>;
