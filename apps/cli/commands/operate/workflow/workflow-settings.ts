import { boolean, integer, oneOf, type Settings, text } from '#kit/config';
import { WORKFLOW_STATUS_NAMES } from '#protocol/api';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { OUTPUT_FORMATS } from '../../../output/render-data.ts';

const from = ['flag'] as const;

const LIST = {
  status: { kind: oneOf(WORKFLOW_STATUS_NAMES), sentence: 'Only workflows with this status.', group: 'list', from },
  name: { kind: text('WORKFLOW'), sentence: 'Only workflows of this name.', group: 'list', from },
  limit: {
    kind: integer({ min: 1, max: 1_000_000 }),
    default: '100',
    sentence: 'The maximum number of workflows, newest first.',
    group: 'list',
    from,
  },
} as const satisfies Settings;

const SHOW = {
  history: {
    kind: boolean(),
    default: 'false',
    sentence: 'Also show the history of the current run, step by step.',
    group: 'show',
    from,
  },
} as const satisfies Settings;

const OUTPUT = {
  output: {
    kind: oneOf(OUTPUT_FORMATS),
    default: 'table',
    sentence: 'Output format; -o for short. json and yaml have all fields of the API.',
    group: 'list and show',
    from,
  },
} as const satisfies Settings;

const CANCEL = {
  reason: {
    kind: text(),
    default: 'cancelled from the command line',
    sentence: 'The reason, for the record.',
    group: 'cancel',
    from,
  },
} as const satisfies Settings;

const STEER = {
  'dry-run': {
    kind: boolean(),
    default: 'false',
    sentence: 'Check whether the workflow can be changed so, without doing it.',
    group: 'cancel, pause and resume',
    from,
  },
} as const satisfies Settings;

export const LIST_SETTINGS = { ...LIST, ...OUTPUT, ...CLIENT_SETTINGS } as const satisfies Settings;
export const SHOW_SETTINGS = { ...SHOW, ...OUTPUT, ...CLIENT_SETTINGS } as const satisfies Settings;
export const CANCEL_SETTINGS = { ...CANCEL, ...STEER, ...CLIENT_SETTINGS } as const satisfies Settings;
export const STEER_SETTINGS = { ...STEER, ...CLIENT_SETTINGS } as const satisfies Settings;

/** All settings, in the order of the help. */
export const WORKFLOW_SETTINGS: Settings = { ...LIST, ...SHOW, ...OUTPUT, ...CANCEL, ...STEER, ...CLIENT_SETTINGS };
