import { BadValue, boolean, integer, type Kind, listOf, oneOf, path, type Settings, text } from '#kit/config';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { PLACE_SETTINGS } from '../../../kinds/place.ts';
import { INSTALL_SETTINGS } from './install-manifest.ts';

const group = 'bootstrap-resource-set';
const from = ['flag'] as const;

export const BOOTSTRAP_SET_SETTINGS = {
  selector: {
    kind: listOf(labelPair()),
    default: '',
    sentence: 'The labels of the Clusters that become targets. Required.',
    group,
    from,
  },
  namespace: {
    kind: text('NAME'),
    default: 'default',
    sentence: 'The namespace of the Clusters, on the management cluster.',
    group,
    from,
  },
  uses: {
    kind: integer({ min: 1, max: 10_000 }),
    default: '100',
    sentence: 'How many clusters may enrol with the token.',
    group,
    from,
  },
  expires: {
    kind: text('DURATION'),
    default: '7d',
    sentence: 'How long clusters may enrol with the token, up to 30d.',
    group,
    from,
  },
  apply: {
    kind: boolean(),
    default: 'false',
    sentence: 'Apply it to the management cluster, instead of printing it.',
    group,
    from,
  },
  kubeconfig: {
    kind: path(),
    unset: 'KUBECONFIG, or ~/.kube/config',
    sentence: 'With --apply: the kubeconfig of the management cluster.',
    group,
    from,
  },
  'kube-context': {
    kind: text('NAME'),
    unset: 'the current context',
    sentence: 'With --apply: the context of the kubeconfig.',
    group,
    from,
  },
  output: {
    kind: oneOf(['yaml', 'json']),
    default: 'yaml',
    sentence: 'Output format; -o for short.',
    group,
    from,
  },
  platform: INSTALL_SETTINGS.platform,
  image: INSTALL_SETTINGS.image,
  rbac: INSTALL_SETTINGS.rbac,
  allow: INSTALL_SETTINGS.allow,
  namespaces: INSTALL_SETTINGS.namespaces,
  'api-proxy': INSTALL_SETTINGS['api-proxy'],
  'api-proxy-users': INSTALL_SETTINGS['api-proxy-users'],
  'network-policy': INSTALL_SETTINGS['network-policy'],
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

interface LabelPair {
  readonly key: string;
  readonly value: string;
}

function labelPair(): Kind<LabelPair> {
  return {
    placeholder: 'KEY=VALUE',
    expects: 'a label and its value, such as fleet=edge',
    parse(given) {
      const [, key, value] = /^([^=]+)=([^=]*)$/.exec(given) ?? [];
      if (key === undefined || value === undefined) throw new BadValue(`is not ${this.expects}`);
      return { key, value };
    },
    print: ({ key, value }) => `${key}=${value}`,
  };
}
