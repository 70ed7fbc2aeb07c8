import { type Static, Type } from 'typebox';

const timeField = (description: string) => Type.String({ format: 'date-time', description });

export const ReplicaSchema = Type.Object(
  {
    instanceId: Type.String({ description: 'Names the process; a restart is another one.' }),
    state: Type.Enum(['Live', 'Lost'], {
      description: '`Lost`: no heartbeat was seen for the time of a lease; others lead in its place.',
    }),
    version: Type.String({ description: 'The release.' }),
    startTime: timeField('When the process started, by its clock.'),
    heartbeatTime: timeField('Its last heartbeat, by its clock. A platform on SQLite writes one when it starts.'),
    endpoints: Type.Object(
      {
        grpc: Type.Optional(Type.String({ description: '`host:port`, for gRPC with client certificates.' })),
        websocket: Type.Optional(Type.String({ description: 'A `wss:` address.' })),
      },
      { title: 'AnnouncedEndpoints', description: 'Where it takes fleetlets, as it announces itself.' },
    ),
    leads: Type.Array(
      Type.Object(
        {
          role: Type.String({ description: 'Such as `executor`, or `proxied-clusters/3`.' }),
          epoch: Type.Integer({ minimum: 1, description: 'Grows each time the role changes hands.' }),
          sinceTime: timeField('Since when it leads for the role.'),
        },
        { title: 'HeldLease' },
      ),
      { description: 'The roles that it leads for.' },
    ),
  },
  { title: 'Replica' },
);

export const ReplicaPageSchema = Type.Object({
  items: Type.Array(ReplicaSchema),
  nextPageToken: Type.Optional(Type.String()),
});

export type ReplicaResource = Static<typeof ReplicaSchema>;
