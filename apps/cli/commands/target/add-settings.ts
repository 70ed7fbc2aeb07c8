import { boolean, duration, listOf, path, type Settings, text } from '#kit/config';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';

const group = 'add';
const from = ['flag'] as const;
const { context: _, ...client } = CLIENT_SETTINGS;

/** `--context` is one of the kubeconfig here, as with kubectl; which platform is meant is said by `--platform-context`. */
export const ADD_SETTINGS = {
  context: {
    kind: listOf(text('CONTEXT')),
    unset: 'the current one',
    sentence: 'A context of the kubeconfig that is to be a target. Give one for each.',
    group,
    from,
  },
  'all-contexts': { kind: boolean(), default: 'false', sentence: 'All that are in it.', group, from },
  kubeconfig: {
    kind: path(),
    unset: 'KUBECONFIG, or ~/.kube/config',
    sentence: 'The kubeconfig to take them from.',
    group,
    from,
  },
  name: {
    kind: listOf(text('NAME')),
    default: '',
    sentence: 'What the targets are called, in the order of the contexts, if not as these.',
    group,
    from,
  },
  label: { kind: listOf(text('KEY=VALUE')), default: '', sentence: 'A label for each of them.', group, from },
  'api-proxy': {
    kind: boolean(),
    default: 'true',
    sentence:
      'Let users of the platform reach the API of the clusters, each with the rights of his role: binds the roles there.',
    group,
    from,
  },
  'service-account': {
    kind: boolean(),
    default: 'false',
    sentence:
      'Make a service account in each cluster, with your own rights, and hand over its token instead of your credentials.',
    group,
    from,
  },
  'cluster-role': {
    kind: text('ROLE'),
    default: 'cluster-admin',
    sentence: 'What that service account may do.',
    group,
    from,
  },
  wait: {
    kind: duration('0s', '1h'),
    default: '30s',
    sentence: 'How long to wait until the platform serves a cluster; 0s for not at all.',
    group,
    from,
  },
  workspace: PLACE_SETTINGS.workspace,
  'platform-context': CLIENT_SETTINGS.context,
  ...client,
} as const satisfies Settings;
