import { path, type Settings, url } from '#kit/config';

const group = 'Server';
const from = ['flag', 'environment'] as const;

/**
 * Where a command finds the platform and what it shows there. `FLEETSHIFT_CONFIG` is reserved for a file with several
 * platforms by name.
 */
export const CLIENT_SETTINGS = {
  server: {
    kind: url(['http:', 'https:']),
    default: 'http://127.0.0.1:8700',
    sentence: 'The platform to talk to.',
    group,
    from,
  },
  'token-file': {
    kind: path(),
    unset: 'the token in FLEETSHIFT_TOKEN, or of a platform on this machine <data>/admin-token',
    sentence: 'File with the token to show.',
    group,
    from,
  },
  'ca-file': {
    kind: path(),
    unset: 'the authorities that this machine trusts',
    sentence: 'One more authority to trust, in PEM, such as <data>/tls/ca.crt of a platform that has its own.',
    group,
    from,
  },
  data: {
    kind: path('FOLDER'),
    default: './.fleetshift',
    sentence: 'Data folder of a platform on this machine.',
    group,
    from,
  },
} as const satisfies Settings;
