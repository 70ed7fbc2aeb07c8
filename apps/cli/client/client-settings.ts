import { path, type Settings, text, url } from '#kit/config';

const group = 'Server';
const from = ['flag', 'environment'] as const;

/** Where a command finds the platform and what it shows there. */
export const CLIENT_SETTINGS = {
  context: {
    kind: text('NAME'),
    unset: 'the current one',
    sentence: 'Which platform of the configuration, as "fleetshift config get-contexts" lists them.',
    group,
    from,
  },
  server: {
    kind: url(['http:', 'https:']),
    unset: 'that of the context, or of the platform that runs on --data, or http://127.0.0.1:8700',
    sentence: 'The platform to talk to.',
    group,
    from,
  },
  'token-file': {
    kind: path(),
    unset: 'the token in FLEETSHIFT_TOKEN, or the login of the context',
    sentence: 'File with the token to show.',
    group,
    from,
  },
  'ca-file': {
    kind: path(),
    unset: 'that of the context, or the authorities that this machine trusts',
    sentence: 'One more authority to trust, in PEM, such as <data>/tls/ca.crt of a platform that has its own.',
    group,
    from,
  },
  data: {
    kind: path('FOLDER'),
    default: './.fleetshift',
    sentence:
      'Data folder of a platform on this machine: the token in its admin-token is shown to that platform when there is no other.',
    group,
    from,
  },
} as const satisfies Settings;
