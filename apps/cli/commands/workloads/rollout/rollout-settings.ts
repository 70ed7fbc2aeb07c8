import { boolean, duration, integer, oneOf, type Settings, text } from '#kit/config';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { PLACE_SETTINGS } from '../../../kinds/place.ts';
import { OUTPUT_FORMATS } from '../../../output/render-data.ts';
import { DRY_RUN_SETTING } from '../../dry-run-setting.ts';

const from = ['flag'] as const;
const { workspace } = PLACE_SETTINGS;

/** How to follow a rollout. */
export const FOLLOW_SETTINGS = {
  timeout: {
    kind: duration('1s', '365d'),
    unset: 'no timeout',
    sentence: 'With --watch: stop watching after this time. The rollout continues.',
    group: 'Watch',
    from,
  },
  limit: {
    kind: integer({ min: 1, max: 1_000_000 }),
    default: '20',
    sentence: 'The maximum number of targets listed.',
    group: 'Watch',
    from,
  },
} as const satisfies Settings;

export const YES_SETTING = {
  yes: {
    kind: boolean(),
    default: 'false',
    sentence: 'Do not ask for confirmation. Required without a terminal.',
    group: 'How',
    from,
  },
} as const satisfies Settings;

/** `line` is for people. */
export const DONE_FORMATS = ['line', 'name', 'json', 'yaml'] as const;

export const DONE_SETTING = {
  output: {
    kind: oneOf(DONE_FORMATS),
    default: 'line',
    sentence: 'Output format; -o for short. json and yaml are the response of the API.',
    group: 'How',
    from,
  },
} as const satisfies Settings;

const STATUS = {
  watch: { kind: boolean(), default: 'false', sentence: 'Then follow it to its end.', group: 'status', from },
  'all-targets': {
    kind: boolean(),
    default: 'false',
    sentence: 'Also list targets that are up to date.',
    group: 'status',
    from,
  },
} as const satisfies Settings;

const STATUS_OUTPUT = {
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API.',
    group: 'status',
    from,
  },
} as const satisfies Settings;

const MESSAGE = {
  message: {
    kind: text(),
    sentence: 'A comment; required for a rejection.',
    group: 'approve and reject',
    from,
  },
} as const satisfies Settings;

const ROLLBACK = {
  to: {
    kind: integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    unset: 'the last one with other content that succeeded',
    sentence: 'The revision to go back to.',
    group: 'rollback',
    from,
  },
  paced: {
    kind: boolean(),
    default: 'false',
    sentence: 'Follow the rollout strategy with its stages and gates. Default: all targets at once.',
    group: 'rollback',
    from,
  },
} as const satisfies Settings;

const STEER = { ...DRY_RUN_SETTING, ...DONE_SETTING, workspace, ...CLIENT_SETTINGS } as const satisfies Settings;

export const STATUS_SETTINGS = {
  ...STATUS,
  ...STATUS_OUTPUT,
  ...FOLLOW_SETTINGS,
  workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;
export const STEER_SETTINGS = STEER;
const OVERRIDE = {
  override: {
    kind: boolean(),
    default: 'false',
    sentence:
      'Approve without the second person that the gate requires; only for instance administrators, and audited.',
    group: 'approve, reject',
    from,
  },
} as const satisfies Settings;

export const ANSWER_SETTINGS = { ...MESSAGE, ...OVERRIDE, ...STEER } as const satisfies Settings;
export const GRAVE_SETTINGS = { ...YES_SETTING, ...STEER } as const satisfies Settings;
export const ROLLBACK_SETTINGS = { ...ROLLBACK, ...YES_SETTING, ...STEER } as const satisfies Settings;

/** All settings, in the order of the help. */
export const ROLLOUT_SETTINGS: Settings = {
  ...STATUS,
  ...FOLLOW_SETTINGS,
  ...MESSAGE,
  ...OVERRIDE,
  ...ROLLBACK,
  ...DRY_RUN_SETTING,
  ...YES_SETTING,
  output: {
    kind: oneOf(['table', ...DONE_FORMATS]),
    unset: 'table for status, line for the others',
    sentence: 'Output format; -o for short. json and yaml are the response of the API.',
    group: 'How',
    from,
  },
  workspace,
  ...CLIENT_SETTINGS,
};
