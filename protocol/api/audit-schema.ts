import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

export const AUDIT_OUTCOME_NAMES = ['done', 'denied', 'hidden', 'unauthenticated'] as const;
export const AUDIT_FAULT_NAMES = ['changed', 'missing', 'swapped', 'rewritten', 'truncated'] as const;

const HASH = '^sha256:[0-9a-f]{64}$';

const timeField = (description: string) => Type.String({ format: 'date-time', description });
const hashField = (description: string) => Type.String({ pattern: HASH, description });
const positionField = (description: string) => Type.Integer({ minimum: 0, description });

export const AuditListQuerySchema = Type.Object({
  workspace: Type.Optional(nameField('Only what was done in this workspace and below it.')),
  principal: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: 'Only what this one did: `kind:id`, or the id alone.' }),
  ),
  resource: Type.Optional(
    Type.String({
      pattern: '^/',
      maxLength: 512,
      description: 'Only what was done to this path of the API and to what is below it, as `/v1/workspaces/web`.',
    }),
  ),
  outcome: Type.Optional(Type.Enum([...AUDIT_OUTCOME_NAMES], { description: 'Only what ended like this.' })),
  from: Type.Optional(timeField('Only what was asked for at this time or later.')),
  to: Type.Optional(timeField('Only what was asked for before this time.')),
});

export const AuditEntrySchema = Type.Object(
  {
    uid: Type.String({ description: 'Of this entry alone.' }),
    time: timeField('When it was asked for; of the first, when the entry stands for several.'),
    lastTime: timeField('Of the last, when the entry stands for several.'),
    count: Type.Integer({ minimum: 1, description: 'Refusals of the same kind within a minute share an entry.' }),
    requestId: Type.String({ description: 'The `x-request-id` of the answer.' }),
    operation: Type.String({ description: 'The operationId; `several` when it stands for refusals of many kinds.' }),
    method: Type.String(),
    resource: Type.String({ description: 'What it was done to, as a path of the API.' }),
    workspace: Type.Optional(Type.String({ description: 'The workspace that it was in at that time.' })),
    principal: Type.Optional(
      Type.Object({ kind: Type.String(), id: Type.String() }, { description: 'Who asked. Absent when nobody knows.' }),
    ),
    token: Type.Optional(
      Type.String({ description: 'The id of the token that was shown: of a service account, or of an issuer.' }),
    ),
    session: Type.Optional(Type.String({ description: 'The uid of the session that was shown.' })),
    address: Type.String({ description: 'Where the request came from.' }),
    outcome: Type.String({
      description:
        '`done`; `denied`: a 403; `hidden`: a 404 for something that does not exist, at least not for the caller; `unauthenticated`: a 401.',
    }),
    beforeHash: Type.Optional(Type.String({ description: 'Of what it was done to, as the API showed it before.' })),
    afterHash: Type.Optional(Type.String({ description: 'Of the answer.' })),
    position: Type.Optional(positionField('The place in the chain. Only for those who see the whole log.')),
    hash: Type.Optional(Type.String({ description: 'Of the chain up to here. Only for those who see the whole log.' })),
  },
  { title: 'AuditEntry' },
);

export const AuditPageSchema = Type.Object({
  items: Type.Array(AuditEntrySchema),
  nextPageToken: Type.Optional(Type.String()),
});

const ChainPointSchema = Type.Object(
  { position: positionField('The place in the chain.'), hash: hashField('Of the chain up to here.') },
  { title: 'AuditChainPoint' },
);

export const VerifyAuditSchema = Type.Object(
  {
    after: Type.Optional(positionField('Begin behind this position: the `next` of the answer before.')),
    expectedHead: Type.Optional(ChainPointSchema),
  },
  { title: 'VerifyAudit' },
);

export const AuditVerificationSchema = Type.Object(
  {
    intact: Type.Boolean({ description: 'Nothing is wrong with what was looked at.' }),
    checked: Type.Integer({
      minimum: 0,
      description: 'Entries that were looked at; a long chain takes several calls.',
    }),
    pending: Type.Integer({ minimum: 0, description: 'Entries that have no place in the chain yet.' }),
    start: ChainPointSchema,
    head: ChainPointSchema,
    faults: Type.Array(
      Type.Object({
        kind: Type.Enum([...AUDIT_FAULT_NAMES], {
          description:
            '`changed`, `missing`, `swapped`: this entry. `rewritten`: the chain is another than it was when its head was kept. `truncated`: it ends before a head that was kept.',
        }),
        position: positionField('Of the entry.'),
        other: Type.Optional(positionField('The last that is missing, or the one it was swapped with.')),
      }),
    ),
    next: Type.Optional(positionField('Where to go on; absent once everything was looked at.')),
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
