import { boolean, listOf, oneOf, path, type Settings, text } from '#kit/config';
import { CLIENT_SETTINGS } from '../../client/client-settings.ts';
import { PLACE_SETTINGS } from '../../kinds/place.ts';
import { DRY_RUN_SETTING } from '../dry-run-setting.ts';
import { DONE_SETTING, FOLLOW_SETTINGS, YES_SETTING } from '../rollout/rollout-settings.ts';
import { ROLLOUT_TYPES } from './deploy-spec.ts';

const from = ['flag'] as const;
const [what, where, how] = ['What', 'Where', 'How fast'];

/** What a deployment is to be, as flags say it. */
export const SPEC_SETTINGS = {
  filename: {
    kind: path(),
    sentence: 'A document of kind Deployment, as apply takes it, in place of the flags below; -f for short.',
    group: what,
    from,
  },
  file: {
    kind: listOf(path()),
    default: '',
    sentence: 'Deliver the documents of these files and folders, or of - for standard input.',
    group: what,
    from,
  },
  template: {
    kind: path(),
    sentence: 'Deliver this file, with each ${...} filled in for the target.',
    group: what,
    from,
  },
  values: { kind: path(), sentence: 'With --template: a file with a map of values.', group: what, from },
  set: {
    kind: listOf(text('NAME=VALUE')),
    default: '',
    sentence: 'Change these values of the template, and leave the others; a.b=1 is the b in a.',
    group: what,
    from,
  },
  namespace: { kind: text('NAME'), sentence: 'Where things go on a target that has such places.', group: what, from },
  to: {
    kind: text('LABELS'),
    sentence: 'To targets with these labels, as env=prod,tier in (web,api),!old.',
    group: where,
    from,
  },
  'to-targets': { kind: listOf(text('NAME')), default: '', sentence: 'To just these targets.', group: where, from },
  'to-all': {
    kind: boolean(),
    default: 'false',
    sentence: 'To all targets of the workspace and below it.',
    group: where,
    from,
  },
  rollout: {
    kind: oneOf(ROLLOUT_TYPES),
    unset: 'as it is; of a new one immediate',
    sentence: 'All at once, or batch by batch. Stages are said in a document.',
    group: how,
    from,
  },
  'batch-size': { kind: text('N|N%'), sentence: 'How many targets make a batch.', group: how, from },
  'max-unavailable': { kind: text('N|N%'), sentence: 'How many targets may be unavailable.', group: how, from },
  'max-failures': { kind: text('N|N%'), sentence: 'How many may go wrong before it pauses.', group: how, from },
  'max-concurrency': { kind: text('N|N%'), sentence: 'How many are changed at once.', group: how, from },
} as const satisfies Settings;

export const DEPLOY_SETTINGS = {
  ...SPEC_SETTINGS,
  watch: {
    kind: boolean(),
    default: 'false',
    sentence: 'Then follow the rollout to its end, or to a pause.',
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
