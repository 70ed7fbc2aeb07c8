import { boolean, path } from './kinds.ts';
import type { Settings } from './setting.ts';

/** Settings that every command with settings has. `resolveSettings` reads the file named by `config`. */
export const COMMON_SETTINGS = {
  config: {
    kind: path(),
    unset: 'no file',
    sentence: 'YAML file with settings: a flat map whose keys are the flags without the dashes.',
    group: 'General',
    from: ['flag', 'environment'],
    // FLEETSHIFT_CONFIG names the configuration of the command line client, which is a different file.
    variable: 'FLEETSHIFT_CONFIG_FILE',
  },
  'print-config': {
    kind: boolean(),
    default: 'false',
    sentence: 'Print every setting with its value and source, without secrets, and exit.',
    group: 'General',
    from: ['flag'],
  },
  help: {
    kind: boolean(),
    default: 'false',
    sentence: 'Show this help and exit.',
    group: 'General',
    from: ['flag'],
  },
} as const satisfies Settings;
