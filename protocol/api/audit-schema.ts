import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

export const AUDIT_OUTCOME_NAMES = ['done', 'denied', 'hidden', 'unauthenticated'] as const;
export const AUDIT_FAULT_NAMES = ['changed', 'missing', 'swapped', 'rewritten', 'truncated', 'forged'] as const;

const HASH = '^sha256:[0-9a-f]{64}$';

const timeField = (description: string) => Type.String({ format: 'date-time', description });
const hashField = (description: string) => Type.String({ pattern: HASH, description });
const positionField = (description: string) => Type.Integer({ minimum: 0, description });

export const AuditListQuerySchema = Type.Object({
  workspace: Type.Optional(nameField('Only operations in this workspace and below it.')),
  principal: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 512,
      description: 'Only operations of this principal: `kind:id`, or the id alone.',
    }),
  ),
  resource: Type.Optional(
    Type.String({
      pattern: '^/',
      maxLength: 512,
      description: 'Only operations on this API path and below it, such as `/v1/workspaces/web`.',
    }),
  ),
  outcome: Type.Optional(Type.Enum([...AUDIT_OUTCOME_NAMES], { description: 'Only operations with this outcome.' })),
  from: Type.Optional(timeField('Only operations requested at this time or later.')),
  to: Type.Optional(timeField('Only operations requested before this time.')),
});

export const AuditEntrySchema = Type.Object(
  {
    uid: Type.String({ description: 'The unique id of the entry.' }),
    time: timeField('When the operation was requested; the first time when the entry stands for several.'),
    lastTime: timeField('The last time when the entry stands for several.'),
    count: Type.Integer({ minimum: 1, description: 'Refusals of the same kind within a minute share an entry.' }),
    requestId: Type.String({ description: 'The `x-request-id` of the response, assigned by the platform.' }),
    clientRequestId: Type.Optional(
      Type.String({
        description: 'The `x-request-id` of the request, if it had one of at most 64 letters, digits and `._:-`.',
      }),
    ),
    operation: Type.String({
      description: 'The operationId; `several` when the entry stands for refusals of different operations.',
    }),
    method: Type.String(),
    resource: Type.String({ description: 'The resource of the operation, as an API path.' }),
    workspace: Type.Optional(Type.String({ description: 'The workspace of the resource at that time.' })),
    principal: Type.Optional(
      Type.Object(
        { kind: Type.String(), id: Type.String() },
        { description: 'The caller. Absent when the caller is unknown.' },
      ),
    ),
    token: Type.Optional(
      Type.String({
        description: 'The id of the token that the caller presented, from a service account or from an issuer.',
      }),
    ),
    session: Type.Optional(Type.String({ description: 'The uid of the session that the caller presented.' })),
    address: Type.String({ description: 'The address that the request came from.' }),
    outcome: Type.String({
      description:
        '`done`; `denied`: a 403; `hidden`: a 404, for a resource that does not exist or that the caller may not see; `unauthenticated`: a 401.',
    }),
    beforeHash: Type.Optional(
      Type.String({ description: 'The hash of the resource before the operation, as the API showed it.' }),
    ),
    afterHash: Type.Optional(Type.String({ description: 'The hash of the response.' })),
    position: Type.Optional(
      positionField('The position in the chain. Present only for callers who see the whole log.'),
    ),
    hash: Type.Optional(
      Type.String({
        description: 'The hash of the chain up to this entry. Present only for callers who see the whole log.',
      }),
    ),
  },
  { title: 'AuditEntry' },
);

export const AuditPageSchema = Type.Object({
  items: Type.Array(AuditEntrySchema),
  nextPageToken: Type.Optional(Type.String()),
});

const ChainPointSchema = Type.Object(
  {
    position: positionField('The position in the chain.'),
    hash: hashField('The hash of the chain up to this position.'),
  },
  { title: 'AuditChainPoint' },
);

export const VerifyAuditSchema = Type.Object(
  {
    after: Type.Optional(positionField('Start after this position: the `next` of the previous response.')),
    expectedHead: Type.Optional(ChainPointSchema),
  },
  { title: 'VerifyAudit' },
);

export const AuditVerificationSchema = Type.Object(
  {
    intact: Type.Boolean({ description: 'Whether the checked entries are intact.' }),
    checked: Type.Integer({
      minimum: 0,
      description: 'The number of entries checked; a long chain takes several calls.',
    }),
    pending: Type.Integer({ minimum: 0, description: 'The number of entries that are not in the chain yet.' }),
    start: ChainPointSchema,
    head: ChainPointSchema,
    faults: Type.Array(
      Type.Object({
        kind: Type.Enum([...AUDIT_FAULT_NAMES], {
          description:
            '`changed`, `missing`, `swapped`: this entry. `rewritten`: the chain differs from what it was when its head was recorded. `truncated`: the chain ends before a recorded head. `forged`: the chain ends in a head that this platform did not authenticate.',
        }),
        position: positionField('The position of the entry.'),
        other: Type.Optional(positionField('The last missing entry, or the entry that this one was swapped with.')),
      }),
    ),
    next: Type.Optional(positionField('The position to continue from; absent once everything was checked.')),
  },
  { title: 'AuditVerification' },
);

export const AuditHeadsSchema = Type.Object({
  items: Type.Array(
    Type.Object({ day: Type.String({ format: 'date' }), ...ChainPointSchema.properties }, { title: 'AuditDayHead' }),
  ),
});

export type AuditEntryResource = Static<typeof AuditEntrySchema>;
export type AuditVerificationResource = Static<typeof AuditVerificationSchema>;
