import { resolve } from 'node:path';
import {
  BadValue,
  boolean,
  COMMON_SETTINGS,
  duration,
  type Kind,
  listOf,
  type Resolved,
  resolveSettings,
  type Settings,
  type Values,
} from '#kit/config';
import {
  AGENT_PROCESS_SETTINGS,
  checkFleetletEndpoint,
  FLEETLET_ENDPOINT_SETTINGS,
} from '#runtime/agent-process/agent-settings';
import { type ConfigSources, IGNORED_VARIABLES } from '#runtime/process/process-command';

/** A folder and its target. */
export interface ServedFolder {
  readonly name: string;
  readonly folder: string;
}

/** All settings of `fleetshift agent directory`. */
export const DIRECTORY_AGENT_SETTINGS = {
  ...FLEETLET_ENDPOINT_SETTINGS,
  target: {
    kind: listOf(servedFolder()),
    default: '',
    sentence: 'A target and its folder, as name=folder; repeat for several.',
    group: 'Targets',
  },
  'allow-commands': {
    kind: boolean(),
    default: 'false',
    sentence: 'Run the commands of HealthCheck documents, as the user of this process.',
    group: 'Targets',
  },
  'look-every': {
    kind: duration('1s', '1h'),
    default: '30s',
    sentence: 'How often folders are checked, in addition to file change events.',
    group: 'Targets',
  },
  ...AGENT_PROCESS_SETTINGS,
  ...COMMON_SETTINGS,
} as const satisfies Settings;

export type DirectoryAgentConfig = Values<typeof DIRECTORY_AGENT_SETTINGS>;

export function resolveDirectoryAgentConfig(sources: ConfigSources): Resolved<typeof DIRECTORY_AGENT_SETTINGS> {
  return resolveSettings({
    settings: DIRECTORY_AGENT_SETTINGS,
    ignoredVariables: IGNORED_VARIABLES,
    check,
    ...sources,
  });
}

function check(
  config: DirectoryAgentConfig,
  refuse: (name: keyof typeof DIRECTORY_AGENT_SETTINGS, why: string) => void,
) {
  const { target, printConfig } = config;
  if (printConfig) return;
  if (target.length === 0) refuse('target', 'is required: a target and its folder, as name=folder');
  const names = new Set(target.map(({ name }) => name));
  if (names.size < target.length) refuse('target', 'names a target twice');
  const folders = new Set(target.map(({ folder }) => folder));
  if (folders.size < target.length) refuse('target', 'names a folder twice');
  checkFleetletEndpoint(config, refuse);
}

function servedFolder(): Kind<ServedFolder> {
  return {
    placeholder: 'NAME=FOLDER',
    expects: 'the name of a target and its folder, such as web-1=/srv/web',
    parse(text) {
      const at = text.indexOf('=');
      const [name, folder] = [text.slice(0, at), text.slice(at + 1)];
      if (at < 1 || folder === '') throw new BadValue(`is not ${this.expects}`);
      return { name, folder: resolve(folder) };
    },
    print: ({ name, folder }) => `${name}=${folder}`,
  };
}
