import { type Static, Type } from 'typebox';

export const WORKFLOW_STATUS_NAMES = ['running', 'paused', 'completed', 'failed', 'cancelled', 'parked'] as const;

/** The characters that the engine accepts in ids, names and reasons. */
const ID = { minLength: 1, maxLength: 200, pattern: '^[A-Za-z0-9._~-]+$' };
const PRINTABLE = { minLength: 1, maxLength: 200, pattern: '^\\P{Cc}+$' };
const MAX_PAGE_SIZE = 1000;

const timeField = (description: string) => Type.String({ format: 'date-time', description });
const idField = (description: string) => Type.String({ ...ID, description });
const jsonField = (description: string) => Type.Unknown({ description });

const PAGE_QUERY = {
  pageSize: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_PAGE_SIZE,
      description: 'The maximum number of items; default 100.',
    }),
  ),
  pageToken: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The `nextPageToken` of the previous page, with the same other parameters.',
    }),
  ),
};

const nextPageToken = Type.Optional(
  Type.String({ description: 'Present when there may be more items. A page can be short and still have a next one.' }),
);

const FailureSchema = Type.Object(
  {
    code: Type.String({ description: 'Stable and machine-readable.' }),
    message: Type.String({ description: 'A readable description.' }),
  },
  { title: 'WorkflowFailure' },
);

const SUMMARY_FIELDS = {
  id: idField('Chosen by the starter of the workflow; unique among all workflows.'),
  name: Type.String({ description: 'The name of the workflow in the code.' }),
  status: Type.Enum([...WORKFLOW_STATUS_NAMES], {
    description:
      '`parked`: the current code cannot replay its history. It resumes by itself once matching code is started.',
  }),
  startTime: timeField('When it was started.'),
  endTime: Type.Optional(timeField('When it ended. Absent while it is open.')),
  run: Type.Integer({
    minimum: 1,
    description: 'The number of the run: starts at 1 and grows each time the workflow continues as new.',
  }),
  parent: Type.Optional(idField('The id of the workflow that started it.')),
  reason: Type.Optional(FailureSchema),
};

export const WorkflowParamsSchema = Type.Object({ workflow: idField('The id of the workflow.') });

export const WorkflowListQuerySchema = Type.Object({
  status: Type.Optional(Type.Enum([...WORKFLOW_STATUS_NAMES], { description: 'Only workflows with this status.' })),
  name: Type.Optional(Type.String({ ...PRINTABLE, description: 'Only workflows of this name.' })),
  ...PAGE_QUERY,
});

export const WorkflowHistoryQuerySchema = Type.Object(PAGE_QUERY);

const WorkflowSummarySchema = Type.Object(SUMMARY_FIELDS, { title: 'WorkflowSummary' });

export const WorkflowPageSchema = Type.Object({ items: Type.Array(WorkflowSummarySchema), nextPageToken });

const WaitingForSchema = Type.Object(
  {
    kind: Type.Enum(['activity', 'timer', 'signal', 'child']),
    name: Type.String({ description: 'The name of the activity, the signal or the child workflow.' }),
    step: Type.Integer({ minimum: 0, description: "The sequence number of the workflow's command; 0 for a signal." }),
    since: Type.Optional(timeField('When the workflow issued the command.')),
    until: Type.Optional(timeField('When the timer fires, or the next attempt of the activity starts.')),
    attempt: Type.Optional(Type.Integer({ minimum: 1, description: 'The attempt that is in progress or comes next.' })),
    lastError: Type.Optional(FailureSchema),
  },
  { title: 'WorkflowWait' },
);

export const WorkflowSchema = Type.Object(
  {
    ...SUMMARY_FIELDS,
    input: jsonField('The input of the current run.'),
    result: Type.Optional(jsonField('The return value.')),
    historyLength: Type.Integer({ minimum: 0, description: 'The number of events in the history of the current run.' }),
    waitingFor: Type.Array(WaitingForSchema, { description: 'The current waits.' }),
  },
  { title: 'Workflow' },
);

const HistoryEntrySchema = Type.Object(
  {
    kind: Type.Enum(['activity', 'timer', 'signal', 'child', 'patch', 'cancel']),
    step: Type.Integer({
      minimum: 0,
      description: "The sequence number of the workflow's command; 0 for external events.",
    }),
    name: Type.String({
      description: 'The name of the activity, signal, child workflow or change; for a cancellation its reason.',
    }),
    input: Type.Optional(jsonField('The input.')),
    result: Type.Optional(jsonField('The result, or the payload of the signal.')),
    error: Type.Optional(FailureSchema),
    time: timeField('When the event was delivered to the workflow.'),
  },
  { title: 'WorkflowHistoryEntry' },
);

export const WorkflowHistoryPageSchema = Type.Object({ items: Type.Array(HistoryEntrySchema), nextPageToken });

export const CancelWorkflowSchema = Type.Object(
  { reason: Type.String({ ...PRINTABLE, description: 'A readable reason, kept in the history and in the status.' }) },
  { title: 'CancelWorkflow' },
);

/** A receipt: the request is recorded, and the workflow sees it a little later. */
export const WorkflowRequestSchema = Type.Object(
  {
    workflow: idField('The id of the workflow.'),
    request: Type.Enum(['cancel', 'pause', 'resume'], {
      description: 'The recorded request; it is carried out asynchronously.',
    }),
  },
  { title: 'WorkflowRequest' },
);

export type WorkflowStatusName = (typeof WORKFLOW_STATUS_NAMES)[number];
export type WorkflowSummaryResource = Static<typeof WorkflowSummarySchema>;
export type WorkflowResource = Static<typeof WorkflowSchema>;
export type WorkflowWaitResource = Static<typeof WaitingForSchema>;
export type WorkflowHistoryResource = Static<typeof HistoryEntrySchema>;
