import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

const time = (description: string) => Type.String({ format: 'date-time', description });

const GroupWaitSchema = Type.Object(
  {
    child: Type.Optional(nameField('The deployment that it is about; none when it is the whole group.')),
    since: time('Since when.'),
    message: Type.String({ description: 'For what.' }),
    unblock: Type.String({ description: 'What would let it go on.' }),
  },
  { title: 'GroupWait' },
);

export const DeploymentGroupStatusSchema = Type.Object(
  {
    phase: Type.Enum(['Pending', 'Deploying', 'Healthy', 'Degraded']),
    since: time('Since when it is in that phase.'),
    message: Type.String({ description: 'How far it has come.' }),
    waits: Type.Array(GroupWaitSchema, { description: 'What it waits for; empty only when all is healthy.' }),
  },
  { title: 'DeploymentGroupStatus' },
);

export type DeploymentGroupStatusResource = Static<typeof DeploymentGroupStatusSchema>;
