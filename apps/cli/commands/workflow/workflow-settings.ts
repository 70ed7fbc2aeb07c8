import { boolean, integer, oneOf, type Settings, text } from '#kit/config';
import { WORKFLOW_STATUS_NAMES } from '#protocol/api';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { OUTPUT_FORMATS } from '../../output/render-data.ts';

const from = ['flag'] as const;

const LIST = {
  status: { kind: oneOf(WORKFLOW_STATUS_NAMES), sentence: 'Only those with this status.', group: 'list', from },
  name: { kind: text('WORKFLOW'), sentence: 'Only those that execute this workflow.', group: 'list', from },
  limit: {
    kind: integer({ min: 1, max: 1_000_000 }),
    default: '100',
    sentence: 'At most so many, the newest first.',
    group: 'list',
    from,
  },
} as const satisfies Settings;

const SHOW = {
  history: {
    kind: boolean(),
    default: 'false',
    sentence: 'Also what happened in the run at hand, step by step.',
    group: 'show',
    from,
  },
} as const satisfies Settings;

const OUTPUT = {
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'How to print it; -o for short. json and yaml have everything that the API says.',
    group: 'list and show',
    from,
  },
} as const satisfies Settings;

const CANCEL = {
  reason: {
    kind: text(),
    default: 'cancelled from the command line',
    sentence: 'Why, for those who look later.',
    group: 'cancel',
    from,
  },
} as const satisfies Settings;

const STEER = {
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Only ask whether it could be done.',
    group: 'cancel, pause and resume',
    from,
  },
} as const satisfies Settings;

export const LIST_SETTINGS = { ...LIST, ...OUTPUT, ...CLIENT_SETTINGS } as const satisfies Settings;
export const SHOW_SETTINGS = { ...SHOW, ...OUTPUT, ...CLIENT_SETTINGS } as const satisfies Settings;
export const CANCEL_SETTINGS = { ...CANCEL, ...STEER, ...CLIENT_SETTINGS } as const satisfies Settings;
export const STEER_SETTINGS = { ...STEER, ...CLIENT_SETTINGS } as const satisfies Settings;

/** All of them, in the order in which help lists them. */
export const WORKFLOW_SETTINGS: Settings = { ...LIST, ...SHOW, ...OUTPUT, ...CANCEL, ...STEER, ...CLIENT_SETTINGS };
