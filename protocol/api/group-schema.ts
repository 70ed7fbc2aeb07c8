import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

const time = (description: string) => Type.String({ format: 'date-time', description });

const GroupWaitSchema = Type.Object(
  {
    child: Type.Optional(nameField('The child deployment that it is about; absent when it is about the whole group.')),
    since: time('Since when.'),
    message: Type.String({ description: 'A readable description of the wait.' }),
    unblock: Type.String({ description: 'The event or action that ends the wait.' }),
  },
  { title: 'GroupWait' },
);

export const DeploymentGroupStatusSchema = Type.Object(
  {
    phase: Type.Enum(['Pending', 'Deploying', 'Healthy', 'Degraded']),
    since: time('When the phase began.'),
    message: Type.String({ description: 'A readable description of the progress.' }),
    waits: Type.Array(GroupWaitSchema, { description: 'The current waits; empty only when everything is healthy.' }),
  },
  { title: 'DeploymentGroupStatus' },
);

export type DeploymentGroupStatusResource = Static<typeof DeploymentGroupStatusSchema>;
