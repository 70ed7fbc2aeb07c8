import { type Static, Type } from 'typebox';

export const WORKFLOW_STATUS_NAMES = ['running', 'paused', 'completed', 'failed', 'cancelled', 'parked'] as const;

/** What an engine takes as an id, and as a name or a reason. */
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
      description: 'At most so many items; 100 unless told otherwise.',
    }),
  ),
  pageToken: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'The `nextPageToken` of the page before, with the same other parameters.',
    }),
  ),
};

const nextPageToken = Type.Optional(
  Type.String({ description: 'Present when there may be more. A page can be short and still have a next one.' }),
);

const FailureSchema = Type.Object(
  {
    code: Type.String({ description: 'Stable and for programs.' }),
    message: Type.String({ description: 'For people.' }),
  },
  { title: 'WorkflowFailure' },
);

const SUMMARY_FIELDS = {
  id: idField('Chosen by whoever started it; unique among all workflows.'),
  name: Type.String({ description: 'What it executes: the name of the workflow in the code.' }),
  status: Type.Enum([...WORKFLOW_STATUS_NAMES], {
    description:
      '`parked`: the code at hand cannot replay its history. It goes on by itself once code that can is started.',
  }),
  startTime: timeField('When it was started.'),
  endTime: Type.Optional(timeField('When it ended. Absent while it is open.')),
  run: Type.Integer({ minimum: 1, description: 'Counts the times that it continued as new, from 1.' }),
  parent: Type.Optional(idField('The id of the workflow that started it.')),
  reason: Type.Optional(FailureSchema),
};

export const WorkflowParamsSchema = Type.Object({ workflow: idField('The id of the workflow.') });

export const WorkflowListQuerySchema = Type.Object({
  status: Type.Optional(Type.Enum([...WORKFLOW_STATUS_NAMES], { description: 'Only those with this status.' })),
  name: Type.Optional(Type.String({ ...PRINTABLE, description: 'Only those that execute this workflow.' })),
  ...PAGE_QUERY,
});

export const WorkflowHistoryQuerySchema = Type.Object(PAGE_QUERY);

const WorkflowSummarySchema = Type.Object(SUMMARY_FIELDS, { title: 'WorkflowSummary' });

export const WorkflowPageSchema = Type.Object({ items: Type.Array(WorkflowSummarySchema), nextPageToken });

const WaitingForSchema = Type.Object(
  {
    kind: Type.Enum(['activity', 'timer', 'signal', 'child']),
    name: Type.String({ description: 'Of the activity, the signal or the workflow that is the child.' }),
    step: Type.Integer({ minimum: 0, description: 'Counts what the workflow asked for; 0 for a signal.' }),
    since: Type.Optional(timeField('When the workflow asked for it.')),
    until: Type.Optional(timeField('When the timer passes, or the next try of the activity begins.')),
    attempt: Type.Optional(Type.Integer({ minimum: 1, description: 'The try that is under way or comes next.' })),
    lastError: Type.Optional(FailureSchema),
  },
  { title: 'WorkflowWait' },
);

export const WorkflowSchema = Type.Object(
  {
    ...SUMMARY_FIELDS,
    input: jsonField('What it was started with; of the run at hand.'),
    result: Type.Optional(jsonField('What it gave back.')),
    historyLength: Type.Integer({ minimum: 0, description: 'Events in the history of the run at hand.' }),
    waitingFor: Type.Array(WaitingForSchema, { description: 'What it waits for right now.' }),
  },
  { title: 'Workflow' },
);

const HistoryEntrySchema = Type.Object(
  {
    kind: Type.Enum(['activity', 'timer', 'signal', 'child', 'patch', 'cancel']),
    step: Type.Integer({ minimum: 0, description: 'Counts what the workflow asked for; 0 for what came unasked.' }),
    name: Type.String({ description: 'Of the activity, signal, child workflow or change; of a cancel its reason.' }),
    input: Type.Optional(jsonField('What it was given.')),
    result: Type.Optional(jsonField('What came back, or what the signal carried.')),
    error: Type.Optional(FailureSchema),
    time: timeField('When the workflow was told.'),
  },
  { title: 'WorkflowHistoryEntry' },
);

export const WorkflowHistoryPageSchema = Type.Object({ items: Type.Array(HistoryEntrySchema), nextPageToken });

export const CancelWorkflowSchema = Type.Object(
  { reason: Type.String({ ...PRINTABLE, description: 'For people: it is in the history and in the status.' }) },
  { title: 'CancelWorkflow' },
);

/** What was asked of a workflow is recorded; the workflow itself sees it a little later. */
export const WorkflowRequestSchema = Type.Object(
  {
    workflow: idField('The id of the workflow.'),
    request: Type.Enum(['cancel', 'pause', 'resume'], { description: 'Recorded, and carried out soon.' }),
  },
  { title: 'WorkflowRequest' },
);

export type WorkflowStatusName = (typeof WORKFLOW_STATUS_NAMES)[number];
export type WorkflowSummaryResource = Static<typeof WorkflowSummarySchema>;
export type WorkflowResource = Static<typeof WorkflowSchema>;
export type WorkflowWaitResource = Static<typeof WaitingForSchema>;
export type WorkflowHistoryResource = Static<typeof HistoryEntrySchema>;
