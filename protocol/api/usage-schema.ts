import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

const dayField = (description: string) => Type.String({ format: 'date', description });
const amount = (description: string) => Type.Integer({ minimum: 0, description });

export const UsageQuerySchema = Type.Object({
  workspace: Type.Optional(nameField('Only this workspace; all that the caller may see unless told.')),
  subtree: Type.Optional(Type.Boolean({ description: 'With everything below it in one sum. Needs `workspace`.' })),
  from: Type.Optional(dayField('The first day, by UTC; 30 days ago unless told.')),
  to: Type.Optional(dayField('The last day, by UTC; today unless told.')),
});

export const UsageSchema = Type.Object(
  {
    workspace: nameField('The workspace, or the one at the top of the subtree.'),
    day: dayField('By UTC.'),
    targets: amount('The most that there were at one time; of a subtree, the sum of that.'),
    deliveries: amount('How many were made.'),
    indexRows: amount('The most that there were at one time; of a subtree, the sum of that.'),
    tunnelBytes: amount('How many went through tunnels, both ways.'),
  },
  { title: 'Usage' },
);

export type UsageResource = Static<typeof UsageSchema>;
