import { boolean, oneOf, path, type Settings, text, url } from '#kit/config';
import { CLIENT_SETTINGS } from '../client/client-settings.ts';
import { OUTPUT_FORMATS } from '../output/render-data.ts';

const from = ['flag', 'environment'] as const;
const onlyFlag = ['flag'] as const;

export const CONTEXT_SETTING = {
  context: {
    kind: text('NAME'),
    unset: 'the current one',
    sentence: 'Which platform of the configuration in FLEETSHIFT_CONFIG.',
    group: 'Context',
    from,
  },
} as const satisfies Settings;

export const WHOAMI_SETTINGS = {
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'How to print it; -o for short.',
    group: 'Output',
    from: onlyFlag,
  },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const LOGIN_SETTINGS = {
  issuer: {
    kind: text('NAME'),
    unset: 'the only one that the platform knows',
    sentence: 'Which issuer to log in at.',
    group: 'Login',
    from,
  },
  device: {
    kind: boolean(),
    default: 'false',
    sentence: 'With a browser on another machine, by the device flow.',
    group: 'Login',
    from: onlyFlag,
  },
  'token-file': {
    kind: path(),
    sentence: 'With the token of a service account that this file holds; - is standard input.',
    group: 'Login',
    from: onlyFlag,
  },
  'one-time': {
    kind: text('CODE'),
    sentence: 'With a one-time code, as a first start or "fleetshift admin-login" shows it.',
    group: 'Login',
    from: onlyFlag,
  },
  server: {
    kind: url(['http:', 'https:']),
    unset: 'that of the context, or http://127.0.0.1:8700',
    sentence: 'The platform to log in to.',
    group: 'Server',
    from,
  },
  'ca-file': {
    kind: path(),
    unset: 'that of the context, or the authorities that this machine trusts',
    sentence: 'One more authority to trust, in PEM; it is kept in the configuration.',
    group: 'Server',
    from,
  },
  context: {
    kind: text('NAME'),
    unset: 'the current one, or one with the name of the server',
    sentence: 'Under which name to keep it; it becomes the current one.',
    group: 'Context',
    from,
  },
  workspace: {
    kind: text('NAME'),
    sentence: 'The workspace that is meant when none is named.',
    group: 'Context',
    from,
  },
} as const satisfies Settings;
