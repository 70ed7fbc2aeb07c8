import { type Static, Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_MESSAGE = 1_024;

const time = (description: string) => Type.String({ format: 'date-time', description });

export const ApprovalsParamsSchema = Type.Object({
  workspace: nameField('The workspace that the deployments are in.'),
});

export const ApprovalParamsSchema = Type.Object({
  workspace: nameField('The workspace that the deployment is in.'),
  approval: Type.String({ format: 'uuid', description: 'The uid of the approval.' }),
});

export const ApprovalSchema = Type.Object(
  {
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The workspace that the deployment is in.'),
    deployment: nameField('The name of the deployment.'),
    revision: Type.Integer({
      minimum: 1,
      description: 'The revision that is waiting. An answer is for this one alone.',
    }),
    gate: Type.String({ description: 'The opening of the gate: one that is asked anew after a refusal has another.' }),
    step: Type.String({ description: 'The step of the rollout that it stands at.' }),
    requestedBy: Type.String({ description: 'Who or what asked for the rollout, as `kind:id`.' }),
    requesters: Type.Array(Type.String(), {
      description:
        'All who wrote something that differs from what was last approved (before the first approval: from what last succeeded), or asked for the rollout, as `kind:id`.',
    }),
    needsDistinctApprover: Type.Boolean({
      description: 'Whether the approver has to be a person who is none of the requesters.',
    }),
    noEligibleApprover: Type.Optional(
      Type.Literal(true, {
        description:
          'At the moment no one who may approve in the workspace is eligible. Grant the role to another person, or have an administrator of the instance approve with `override`.',
      }),
    ),
    createTime: SYSTEM_FIELDS.createTime,
    expireTime: Type.Optional(time('When it is too late; the rollout pauses then.')),
    state: Type.Enum(['Open', 'Approved', 'Rejected', 'Expired', 'Closed'], {
      description: 'Closed: the rollout does not wait for it any longer.',
    }),
    answer: Type.Optional(
      Type.Object({
        by: Type.String({ description: 'Who answered, as `kind:id`.' }),
        time: time('When.'),
        message: Type.String({ description: 'What they said of it.' }),
        override: Type.Optional(
          Type.Literal(true, { description: 'Approved by an administrator of the instance without a second person.' }),
        ),
      }),
    ),
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Approval', description: 'Somebody has to agree before a rollout goes on.' },
);

export const ApproveSchema = Type.Object(
  {
    message: Type.Optional(Type.String({ maxLength: MAX_MESSAGE, description: 'What there is to say of it.' })),
    override: Type.Optional(
      Type.Boolean({
        description:
          'Approve although a second person is required. Takes the permission `approvals.override`, and is audited as `overrideApproval`.',
      }),
    ),
  },
  { title: 'Approve' },
);

export const RejectSchema = Type.Object(
  {
    message: Type.String({ minLength: 1, maxLength: MAX_MESSAGE, description: 'Why not. The rollout pauses with it.' }),
  },
  { title: 'Reject' },
);

export type ApprovalResource = Static<typeof ApprovalSchema>;
