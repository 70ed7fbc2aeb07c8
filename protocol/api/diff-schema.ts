import { type Static, Type } from 'typebox';

const kindField = () => Type.Enum(['added', 'removed', 'changed']);

export const FieldChangeSchema = Type.Object(
  {
    path: Type.String({
      description:
        'A JSON pointer: into the old document for a removal, otherwise into the new one. The empty pointer is the whole document.',
    }),
    named: Type.Optional(
      Type.String({
        description:
          'The path with merge keys in place of positions, as `/spec/containers[web]/image`; absent if there are none.',
      }),
    ),
    document: Type.Optional(
      Type.String({ description: 'Within a spec: the inline document that the change is part of.' }),
    ),
    kind: kindField(),
    before: Type.Optional(Type.Unknown()),
    after: Type.Optional(Type.Unknown()),
  },
  {
    title: 'FieldChange',
    description: 'A single difference. It shows whether a secret changed, but never the secret.',
  },
);

const DocumentChangeSchema = Type.Object(
  {
    document: Type.String({
      description: '`apps/Deployment/shop/web`, or `#2` for the second document without a name.',
    }),
    kind: kindField(),
    fields: Type.Array(FieldChangeSchema, {
      description: 'For an added or removed document, a single change of the whole document.',
    }),
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
