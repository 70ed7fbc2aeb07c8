import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

export const ScoresParamsSchema = Type.Object({ target: nameField('The name of the target.') });

export const ScoreParamsSchema = Type.Object({
  target: nameField('The name of the target.'),
  score: nameField('The name of the score.'),
});

const valueField = () => Type.Number({ minimum: -100, maximum: 100, description: 'From -100 to 100; more is better.' });

export const PutScoreSchema = Type.Object({ value: valueField() }, { title: 'PutScore' });

export const ScoreSchema = Type.Object(
  {
    name: nameField('The name of the score, as scored placements weigh it.'),
    value: valueField(),
    time: Type.String({
      format: 'date-time',
      description: 'When it was reported. Placements say for how long it counts.',
    }),
  },
  { title: 'Score', description: 'How good a target is at something, as somebody who can tell reports it.' },
);

export type ScoreResource = Static<typeof ScoreSchema>;
