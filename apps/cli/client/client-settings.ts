import { path, type Settings, text, url } from '#kit/config';

const group = 'Server';
const from = ['flag', 'environment'] as const;

/** How a command finds and authenticates to the platform. */
export const CLIENT_SETTINGS = {
  context: {
    kind: text('NAME'),
    unset: 'the current one',
    sentence: 'The context of the configuration to use, as listed by "fleetshift config get-contexts".',
    group,
    from,
  },
  server: {
    kind: url(['http:', 'https:']),
    unset: 'the server of the context, or the platform that runs on --data, or http://127.0.0.1:8700',
    sentence: 'The platform to talk to.',
    group,
    from,
  },
  'token-file': {
    kind: path(),
    unset: 'the token in FLEETSHIFT_TOKEN, or the login of the context',
    sentence: 'File with the token to authenticate with.',
    group,
    from,
  },
  'ca-file': {
    kind: path(),
    unset: 'that of the context, or the authorities that this machine trusts',
    sentence:
      'An additional certificate authority to trust, in PEM, such as <data>/tls/ca.crt of a platform with its own authority.',
    group,
    from,
  },
  data: {
    kind: path('FOLDER'),
    default: './.fleetshift',
    sentence:
      'Data folder of a platform on this machine. Its admin-token authenticates to that platform when there is no other credential.',
    group,
    from,
  },
} as const satisfies Settings;
