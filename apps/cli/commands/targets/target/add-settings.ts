import { boolean, duration, listOf, path, type Settings, text } from '#kit/config';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { PLACE_SETTINGS } from '../../../kinds/place.ts';

const group = 'add';
const from = ['flag'] as const;
const { context: _, ...client } = CLIENT_SETTINGS;

/** `--context` is a context of the kubeconfig, as in kubectl; `--platform-context` selects the platform. */
export const ADD_SETTINGS = {
  context: {
    kind: listOf(text('CONTEXT')),
    unset: 'the current context',
    sentence: 'A context of the kubeconfig to add as a target. Can be repeated.',
    group,
    from,
  },
  'all-contexts': { kind: boolean(), default: 'false', sentence: 'Add all contexts of the kubeconfig.', group, from },
  kubeconfig: {
    kind: path(),
    unset: 'KUBECONFIG, or ~/.kube/config',
    sentence: 'The kubeconfig to read.',
    group,
    from,
  },
  name: {
    kind: listOf(text('NAME')),
    default: '',
    sentence: 'The names of the targets, in the order of the contexts, if they differ from the names of the contexts.',
    group,
    from,
  },
  label: { kind: listOf(text('KEY=VALUE')), default: '', sentence: 'A label for each target.', group, from },
  'api-proxy': {
    kind: boolean(),
    default: 'true',
    sentence:
      'Let users of the platform access the API of the clusters with the rights of their role: binds the roles there.',
    group,
    from,
  },
  'service-account': {
    kind: boolean(),
    default: 'false',
    sentence:
      'Create a service account in each cluster, with your own rights, and hand over its token instead of your credentials.',
    group,
    from,
  },
  'cluster-role': {
    kind: text('ROLE'),
    default: 'cluster-admin',
    sentence: 'The rights of that service account.',
    group,
    from,
  },
  wait: {
    kind: duration('0s', '1h'),
    default: '30s',
    sentence: 'How long to wait until the platform serves a cluster; 0s does not wait.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  'platform-context': CLIENT_SETTINGS.context,
  ...client,
} as const satisfies Settings;
