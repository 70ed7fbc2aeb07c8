import { type Static, Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const MAX_MESSAGE = 1_024;

const time = (description: string) => Type.String({ format: 'date-time', description });

export const ApprovalsParamsSchema = Type.Object({
  workspace: nameField('The workspace of the deployments.'),
});

export const ApprovalParamsSchema = Type.Object({
  workspace: nameField('The workspace of the deployment.'),
  approval: Type.String({ format: 'uuid', description: 'The uid of the approval.' }),
});

export const ApprovalSchema = Type.Object(
  {
    uid: SYSTEM_FIELDS.uid,
    workspace: nameField('The workspace of the deployment.'),
    deployment: nameField('The name of the deployment.'),
    revision: Type.Integer({
      minimum: 1,
      description: 'The revision that is waiting. An answer applies to this revision only.',
    }),
    gate: Type.String({
      description: 'Identifies this opening of the gate. Asking again after a rejection opens another.',
    }),
    step: Type.String({ description: 'The rollout step that the gate belongs to.' }),
    requestedBy: Type.String({ description: 'The subject or component that requested the rollout, as `kind:id`.' }),
    requesters: Type.Array(Type.String(), {
      description:
        'All subjects that requested the rollout, or wrote something that differs from the last approved state (before the first approval: from the last state that succeeded), as `kind:id`.',
    }),
    needsDistinctApprover: Type.Boolean({
      description: 'Whether the approver must be a person who is not among the requesters.',
    }),
    noEligibleApprover: Type.Optional(
      Type.Literal(true, {
        description:
          'No current approver of the workspace is eligible. Grant the role to another person, or have an instance administrator approve with `override`.',
      }),
    ),
    createTime: SYSTEM_FIELDS.createTime,
    expireTime: Type.Optional(time('When the request expires; the rollout then pauses.')),
    state: Type.Enum(['Open', 'Approved', 'Rejected', 'Expired', 'Closed'], {
      description: 'Closed: the rollout no longer waits for it.',
    }),
    answer: Type.Optional(
      Type.Object({
        by: Type.String({ description: 'The subject that answered, as `kind:id`.' }),
        time: time('When.'),
        message: Type.String({ description: 'The comment given with the answer.' }),
        override: Type.Optional(
          Type.Literal(true, { description: 'Approved by an instance administrator without a second person.' }),
        ),
      }),
    ),
    etag: SYSTEM_FIELDS.etag,
  },
  { title: 'Approval', description: 'A request for approval that a rollout is waiting for.' },
);

export const ApproveSchema = Type.Object(
  {
    message: Type.Optional(Type.String({ maxLength: MAX_MESSAGE, description: 'A comment for the record.' })),
    override: Type.Optional(
      Type.Boolean({
        description:
          'Approve although a second person is required. Requires the permission `approvals.override`; audited as `overrideApproval`.',
      }),
    ),
  },
  { title: 'Approve' },
);

export const RejectSchema = Type.Object(
  {
    message: Type.String({
      minLength: 1,
      maxLength: MAX_MESSAGE,
      description: 'The reason for the rejection. The rollout pauses with it.',
    }),
  },
  { title: 'Reject' },
);

export type ApprovalResource = Static<typeof ApprovalSchema>;
