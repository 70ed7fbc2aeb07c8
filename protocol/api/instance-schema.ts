import { type Static, Type } from 'typebox';

const timeField = (description: string) => Type.String({ format: 'date-time', description });

const TargetsAheadSchema = Type.Enum(['hold', 'goBack'], {
  description:
    'Targets whose agents have seen later revisions than the backup has: `hold` leaves what runs there, with the condition `Conflict` on the deployment until `:acceptRevision`; `goBack` delivers what the backup has, for 24 hours from the acceptance.',
});

export const InstanceSchema = Type.Object(
  {
    instanceId: Type.String({ description: 'The same for the platform and all copies that were restored from it.' }),
    incarnationId: Type.String({ description: 'Another one after each restore.' }),
    earlierIncarnationIds: Type.Array(Type.String(), {
      description: 'Those that it descends from, the first one first.',
    }),
    state: Type.Enum(['Active', 'Held'], {
      description: '`Held`: restored and not accepted yet. It serves reads, changes nothing, and reaches no target.',
    }),
    restoreTime: Type.Optional(timeField('When it was restored; absent for a platform that never was.')),
    acceptTime: Type.Optional(timeField('When the restore was accepted.')),
    targetsAhead: Type.Optional(TargetsAheadSchema),
  },
  { title: 'Instance' },
);

export const RestoreAcceptanceSchema = Type.Object(
  { targetsAhead: Type.Optional(TargetsAheadSchema) },
  { title: 'RestoreAcceptance' },
);

export type InstanceResource = Static<typeof InstanceSchema>;
