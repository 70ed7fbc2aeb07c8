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
        'A kubeconfig in YAML or JSON that refers to no files and no programs. Only one context of it is stored.',
    }),
    context: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1_024,
        description: 'The context to use; defaults to the current context.',
        examples: ['prod'],
      }),
    ),
  },
  { title: 'PutTargetKubeconfig' },
);

export const TargetKubeconfigSchema = Type.Object(
  {
    target: nameField('The target that the kubeconfig connects to.'),
    server: Type.String({ description: 'The address of the API server.' }),
    user: Type.Enum(['Certificate', 'Token', 'None'], {
      description: 'The kind of credential that the platform authenticates with.',
    }),
    impersonates: Type.Optional(Type.String({ description: 'The user that the platform impersonates.' })),
    insecure: Type.Boolean({ description: "Whether verification of the server's certificate is disabled." }),
    state: Type.Enum(['Pending', 'Serving', 'StandingBy', 'Unreachable', 'Refused'], {
      description:
        'Pending: not tried yet. Serving: the platform serves the target. StandingBy: an agent closer to the target serves it. Unreachable: the platform keeps retrying. Refused: the target is not to be served.',
    }),
    message: Type.Optional(Type.String({ description: 'Why.' })),
    clusterUid: Type.Optional(Type.String({ description: 'The uid of kube-system, which identifies a cluster.' })),
    clusterVersion: Type.Optional(Type.String({ description: 'The version that the API server reports.' })),
    createTime: SYSTEM_FIELDS.createTime,
    updateTime: SYSTEM_FIELDS.updateTime,
    observeTime: Type.String({ format: 'date-time', description: 'When the state last changed.' }),
  },
  {
    title: 'TargetKubeconfig',
    description:
      'States that the platform serves a target directly, and the state of that connection. It never contains a credential.',
  },
);

export type TargetKubeconfigResource = Static<typeof TargetKubeconfigSchema>;
