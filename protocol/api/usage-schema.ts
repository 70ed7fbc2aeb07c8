import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

const dayField = (description: string) => Type.String({ format: 'date', description });
const amount = (description: string) => Type.Integer({ minimum: 0, description });

export const UsageQuerySchema = Type.Object({
  workspace: Type.Optional(nameField('Only this workspace; defaults to all that the caller may see.')),
  subtree: Type.Optional(
    Type.Boolean({ description: 'Include everything below it in one sum. Requires `workspace`.' }),
  ),
  from: Type.Optional(dayField('The first day, in UTC; default 30 days ago.')),
  to: Type.Optional(dayField('The last day, in UTC; default today.')),
});

export const UsageSchema = Type.Object(
  {
    workspace: nameField('The workspace, or the root of the subtree.'),
    day: dayField('In UTC.'),
    targets: amount('The maximum at one time; for a subtree, the sum of the maxima.'),
    deliveries: amount('The number of deliveries.'),
    indexRows: amount('The maximum at one time; for a subtree, the sum of the maxima.'),
    tunnelBytes: amount('The number of bytes sent through tunnels in both directions.'),
  },
  { title: 'Usage' },
);

export type UsageResource = Static<typeof UsageSchema>;
