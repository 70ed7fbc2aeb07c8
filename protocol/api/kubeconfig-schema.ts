import { type Static, Type } from 'typebox';
import { nameField, SYSTEM_FIELDS } from './resource-fields.ts';

const EXAMPLE = `apiVersion: v1
kind: Config
current-context: prod
clusters:
  - name: prod
    cluster: { server: 'https://127.0.0.1:6443' }
users:
  - name: robot
    user: { token: '...' }
contexts:
  - name: prod
    context: { cluster: prod, user: robot }
`;

export const PutTargetKubeconfigSchema = Type.Object(
  {
    kubeconfig: Type.String({
      minLength: 1,
      maxLength: 131_072,
      writeOnly: true,
      examples: [EXAMPLE],
      description:
        'A kubeconfig, as YAML or JSON, that names no files and no programs. Only one context of it is kept.',
    }),
    context: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        description: 'Which of its contexts; its current one unless told.',
        examples: ['prod'],
      }),
    ),
  },
  { title: 'PutTargetKubeconfig' },
);

export const TargetKubeconfigSchema = Type.Object(
  {
    target: nameField('The target that it leads to.'),
    server: Type.String({ description: 'The address of the API server.' }),
    user: Type.Enum(['Certificate', 'Token', 'None'], { description: 'What the platform shows it to be known by.' }),
    impersonates: Type.Optional(Type.String({ description: 'Whom it acts as there.' })),
    insecure: Type.Boolean({ description: "Whether the server's certificate is not looked at." }),
    state: Type.Enum(['Pending', 'Serving', 'StandingBy', 'Unreachable', 'Refused'], {
      description:
        'Pending: nobody has tried yet. Serving: the platform does. StandingBy: an agent that is closer does. Unreachable: it is tried again. Refused: it is not to be served.',
    }),
    message: Type.Optional(Type.String({ description: 'Why.' })),
    clusterUid: Type.Optional(Type.String({ description: 'The uid of kube-system, by which a cluster is known.' })),
    clusterVersion: Type.Optional(Type.String({ description: 'As the API server says it.' })),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    observeTime: Type.String({ format: 'date-time', description: 'When the state became what it is.' }),
  },
  {
    title: 'TargetKubeconfig',
    description: 'That the platform serves a target by itself, and how that stands. It never holds a credential.',
  },
);

export type TargetKubeconfigResource = Static<typeof TargetKubeconfigSchema>;
