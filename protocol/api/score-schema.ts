import { type Static, Type } from 'typebox';
import { nameField } from './resource-fields.ts';

export const ScoresParamsSchema = Type.Object({ target: nameField('The name of the target.') });

export const ScoreParamsSchema = Type.Object({
  target: nameField('The name of the target.'),
  score: nameField('The name of the score.'),
});

const valueField = () =>
  Type.Number({ minimum: -100, maximum: 100, description: 'From -100 to 100; higher is better.' });

export const PutScoreSchema = Type.Object({ value: valueField() }, { title: 'PutScore' });

export const ScoreSchema = Type.Object(
  {
    name: nameField('The name of the score, as used in the weights of scored placements.'),
    value: valueField(),
    time: Type.String({
      format: 'date-time',
      description: 'When the score was reported. Placements define how long it is valid.',
    }),
  },
  { title: 'Score', description: 'A rating of a target, reported by a client for scored placements.' },
);

export type ScoreResource = Static<typeof ScoreSchema>;
