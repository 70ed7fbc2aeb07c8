import { boolean, oneOf, path, type Settings, text, url } from '#kit/config';
import { CLIENT_SETTINGS } from '../client/client-settings.ts';
import { OUTPUT_FORMATS } from '../output/render-data.ts';

const from = ['flag', 'environment'] as const;
const onlyFlag = ['flag'] as const;

export const CONTEXT_SETTING = {
  context: {
    kind: text('NAME'),
    unset: 'the current context',
    sentence: 'The context of the configuration in FLEETSHIFT_CONFIG to use.',
    group: 'Context',
    from,
  },
} as const satisfies Settings;

export const WHOAMI_SETTINGS = {
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short.',
    group: 'Output',
    from: onlyFlag,
  },
  ...CLIENT_SETTINGS,
} as const satisfies Settings;

export const LOGIN_SETTINGS = {
  issuer: {
    kind: text('NAME'),
    unset: 'the only issuer of the platform',
    sentence: 'The issuer to log in at.',
    group: 'Login',
    from,
  },
  device: {
    kind: boolean(),
    default: 'false',
    sentence: 'Log in with a browser on another machine, with the device flow.',
    group: 'Login',
    from: onlyFlag,
  },
  'token-file': {
    kind: path(),
    sentence: 'Log in with the token of a service account in this file; - is standard input.',
    group: 'Login',
    from: onlyFlag,
  },
  'one-time': {
    kind: text('CODE'),
    sentence: 'Log in with a one-time code, as printed by a first start or by "fleetshift admin-login".',
    group: 'Login',
    from: onlyFlag,
  },
  server: {
    kind: url(['http:', 'https:']),
    unset: 'the server of the context, or http://127.0.0.1:8700',
    sentence: 'The platform to log in to.',
    group: 'Server',
    from,
  },
  'ca-file': {
    kind: path(),
    unset: 'that of the context, or the authorities that this machine trusts',
    sentence: 'An additional certificate authority to trust, in PEM; it is saved in the configuration.',
    group: 'Server',
    from,
  },
  context: {
    kind: text('NAME'),
    unset: 'the current context, or the name of the server',
    sentence: 'The context to save the login in; it becomes the current one.',
    group: 'Context',
    from,
  },
  workspace: {
    kind: text('NAME'),
    sentence: 'The default workspace of the context.',
    group: 'Context',
    from,
  },
} as const satisfies Settings;
