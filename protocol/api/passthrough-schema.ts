import { type Static, Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const issuer = nameField('The issuer that signs the tokens; the platform must trust it.');
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
    target: nameField('The target whose API accepts the tokens.'),
    workspace: nameField(
      'The workspace of the target when this was set. In another workspace the target accepts no tokens.',
    ),
    issuer,
    audience,
    createTime: SYSTEM_FIELDS.createTime,
  },
  {
    title: 'TargetPassthrough',
    description: 'The tokens that the platform passes on unchanged to the API server of a target.',
  },
);

export type TargetPassthroughResource = Static<typeof TargetPassthroughSchema>;
