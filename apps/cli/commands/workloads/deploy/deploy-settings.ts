import { boolean, listOf, oneOf, path, type Settings, text } from '#kit/config';
import { CLIENT_SETTINGS } from '../../../client/client-settings.ts';
import { PLACE_SETTINGS } from '../../../kinds/place.ts';
import { DRY_RUN_SETTING } from '../../dry-run-setting.ts';
import { DONE_SETTING, FOLLOW_SETTINGS, YES_SETTING } from '../rollout/rollout-settings.ts';
import { ROLLOUT_TYPES } from './deploy-spec.ts';

const from = ['flag'] as const;
const [what, where, how] = ['What', 'Where', 'How fast'];

/** A deployment described by flags. */
export const SPEC_SETTINGS = {
  filename: {
    kind: path(),
    sentence: 'A document of kind Deployment, as for apply, instead of the flags below; -f for short.',
    group: what,
    from,
  },
  file: {
    kind: listOf(path()),
    default: '',
    sentence: 'Deliver the documents of these files and folders, or - for standard input.',
    group: what,
    from,
  },
  template: {
    kind: path(),
    sentence: 'Deliver this file, with each ${...} rendered for the target.',
    group: what,
    from,
  },
  values: { kind: path(), sentence: 'With --template: a file with a map of values.', group: what, from },
  set: {
    kind: listOf(text('NAME=VALUE')),
    default: '',
    sentence: 'Change these values of the template and keep the others; a.b=1 sets b in a.',
    group: what,
    from,
  },
  namespace: {
    kind: text('NAME'),
    sentence: 'The namespace for documents on targets that have namespaces.',
    group: what,
    from,
  },
  to: {
    kind: text('LABELS'),
    sentence: 'To targets with these labels, as env=prod,tier in (web,api),!old.',
    group: where,
    from,
  },
  'to-targets': { kind: listOf(text('NAME')), default: '', sentence: 'To these targets only.', group: where, from },
  'to-all': {
    kind: boolean(),
    default: 'false',
    sentence: 'To all targets of the workspace and below it.',
    group: where,
    from,
  },
  rollout: {
    kind: oneOf(ROLLOUT_TYPES),
    unset: 'unchanged; immediate for a new deployment',
    sentence: 'All at once, or batch by batch. Stages need a document.',
    group: how,
    from,
  },
  'batch-size': { kind: text('N|N%'), sentence: 'How many targets form a batch.', group: how, from },
  'max-unavailable': { kind: text('N|N%'), sentence: 'How many targets may be unavailable.', group: how, from },
  'max-failures': {
    kind: text('N|N%'),
    sentence: 'How many targets may fail before the rollout pauses.',
    group: how,
    from,
  },
  'max-concurrency': { kind: text('N|N%'), sentence: 'How many targets are changed at once.', group: how, from },
} as const satisfies Settings;

export const DEPLOY_SETTINGS = {
  ...SPEC_SETTINGS,
  watch: {
    kind: boolean(),
    default: 'false',
    sentence: 'Then follow the rollout until it ends or pauses.',
    group: 'Watch',
    from,
  },
  ...FOLLOW_SETTINGS,
  ...DRY_RUN_SETTING,
  ...YES_SETTING,
  ...DONE_SETTING,
  workspace: PLACE_SETTINGS.workspace,
  ...CLIENT_SETTINGS,
} as const satisfies Settings;
