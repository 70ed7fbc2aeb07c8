import { type Static, Type } from 'typebox';

const kindField = () => Type.Enum(['added', 'removed', 'changed']);

export const FieldChangeSchema = Type.Object(
  {
    path: Type.String({ description: 'A JSON pointer; the empty one is all of it.' }),
    kind: kindField(),
    before: Type.Optional(Type.Unknown()),
    after: Type.Optional(Type.Unknown()),
  },
  {
    title: 'FieldChange',
    description: 'One place that differs. Whether a secret changed can be seen; the secret cannot.',
  },
);

const DocumentChangeSchema = Type.Object(
  {
    document: Type.String({
      description: '`apps/Deployment/shop/web`, or `#2` for the second of those without a name.',
    }),
    kind: kindField(),
    fields: Type.Array(FieldChangeSchema, { description: 'Of an added or removed document, one change of it all.' }),
  },
  { title: 'DocumentChange' },
);

export const TargetDiffSchema = Type.Object(
  {
    target: Type.String({ description: 'The name of the target.' }),
    uid: Type.String({ description: 'Its uid.' }),
    kind: kindField(),
    documents: Type.Array(DocumentChangeSchema),
  },
  { title: 'TargetDiff' },
);

export type TargetDiffResource = Static<typeof TargetDiffSchema>;
