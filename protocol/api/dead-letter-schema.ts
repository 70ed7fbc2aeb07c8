import { type Static, Type } from 'typebox';

const timeField = (description: string) => Type.String({ format: 'date-time', description });

export const DeadLetterParamsSchema = Type.Object({
  deadLetter: Type.String({
    minLength: 1,
    maxLength: 2_000,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'The name of the letter.',
  }),
});

export const DeadLetterSchema = Type.Object(
  {
    name: Type.String({ description: 'Names it in the path of other operations.' }),
    source: Type.Enum(['index', 'outbox', 'status'], {
      description: '`status` and `index`: messages of agents; `outbox`: an event that the platform could not process.',
    }),
    subject: Type.String({ description: 'The sender, as `targets/<uid>`; for an event, what it is about.' }),
    code: Type.String({ description: 'The code of the error; for an event, its consumer and position.' }),
    messages: Type.Integer({ minimum: 0, description: 'The number of messages; for an event, of attempts.' }),
    lastError: Type.String({ description: 'The last error.' }),
    replayable: Type.Boolean({
      description: 'Whether it can be replayed. Agents report their state again by themselves.',
    }),
    firstTime: timeField('When the first message was set aside.'),
    lastTime: timeField('When the last message was set aside.'),
  },
  { title: 'DeadLetter' },
);

export const DeadLetterPageSchema = Type.Object({
  items: Type.Array(DeadLetterSchema),
  nextPageToken: Type.Optional(Type.String()),
});

export type DeadLetterResource = Static<typeof DeadLetterSchema>;
