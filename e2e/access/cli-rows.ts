import { KINDS } from '../../apps/cli/kinds/kinds.ts';
import { PLAIN_FORMATS } from '../../apps/cli/output/item-format.ts';
import { QUOTED } from './quoting-agents.ts';

/** The workspace that commands run against: it holds the deployments that agents quote. */
export interface CliPlace {
  readonly workspace: string;
  readonly target: string;
  readonly serviceAccount: string;
}

type Row = readonly string[];

const DEPLOYMENTS = ['app', 'canary-text', 'canary-group', ...Object.keys(QUOTED)];
/** `json` is left out: it has the same data as `yaml`. */
const DATA = ['table', 'yaml'];
const CHANGES = 'it changes something, and prints no more than names and what the API answers to that';
const OF_THE_MACHINE = 'it is for the machine of the platform, and shows nothing that the platform manages';
const OF_THE_CALLER = 'it prints what the caller has said or was given';
const ANSWERS = 'it prints permissions, subjects and names of resources';

const eachDeployment = (rows: (name: string) => readonly Row[]): readonly Row[] => DEPLOYMENTS.flatMap(rows);

/**
 * For every command: the arguments that make it show as much as it can, or the reason why it has nothing to hide. A
 * command that is missing here fails the test.
 */
export const CLI_ROWS: Readonly<Record<string, string | ((place: CliPlace) => readonly Row[])>> = {
  get: (place) =>
    KINDS.flatMap(({ plural, takes, nameOf, apply }) => {
      const where = takes.includes('workspace') ? ['-w', place.workspace] : [];
      const of = [
        ...(takes.includes('workspace') || !takes.includes('target') ? [] : ['--target', place.target]),
        ...(takes.includes('service-account') ? ['--service-account', place.serviceAccount] : []),
        ...(takes.includes('deployment') ? ['--deployment', 'quoted-by-refusal'] : []),
      ];
      const without = [...(nameOf === undefined ? ['name'] : []), ...(apply === undefined ? ['manifest'] : [])];
      const templates = ['jsonpath={.items}', 'custom-columns=ALL:.'];
      const formats = [...PLAIN_FORMATS.filter((format) => !without.includes(format)), ...templates];
      return formats.map((format) => [plural, ...where, ...of, '-o', format]);
    }),
  describe: ({ workspace, target }) => [
    ['workspace', workspace],
    ['target', target],
    ...eachDeployment((name) => [['deployment', name, '-w', workspace]]),
  ],
  preview: ({ workspace }) =>
    eachDeployment((name) => DATA.map((format) => [name, '--deep', '-w', workspace, '-o', format])),
  diff: ({ workspace }) =>
    eachDeployment((name) => DATA.map((format) => [name, '--deep', '-w', workspace, '-o', format])),
  deploy: ({ workspace }) =>
    ['line', 'json', 'yaml'].map((format) => {
      const its = ['quoted-by-refusal', '--to-all', '--dry-run', '--yes'];
      return [...its, '-w', workspace, '-o', format];
    }),
  rollout: ({ workspace }) =>
    eachDeployment((name) => DATA.map((format) => ['status', name, '--all-targets', '-w', workspace, '-o', format])),
  revisions: ({ workspace }) =>
    eachDeployment((name) => [
      ...DATA.map((format) => [name, '1', '-w', workspace, '-o', format]),
      [name, '--diff', '-w', workspace],
    ]),
  timeline: ({ workspace }) => eachDeployment((name) => DATA.map((format) => [name, '-w', workspace, '-o', format])),
  audit: () => [['list', '--limit', '1000']],
  workflow: () => DATA.map((format) => ['list', '-o', format]),
  'dead-letter': () => DATA.map((format) => ['list', '-o', format]),
  kubeconfig: () => [['generate', '--all', '--kubectl-server', 'https://localhost:8701']],
  whoami: () => [[]],
  // Followed separately, until the agents' reports have arrived: see the test.
  events: () => [],

  apply: CHANGES,
  delete: CHANGES,
  label: CHANGES,
  move: CHANGES,
  assign: CHANGES,
  target: CHANGES,
  cordon: CHANGES,
  uncordon: CHANGES,
  grant: CHANGES,
  revoke: CHANGES,
  'revoke-sessions': CHANGES,
  token: CHANGES,
  authority: CHANGES,
  serve: OF_THE_MACHINE,
  demo: OF_THE_MACHINE,
  fleetlet: OF_THE_MACHINE,
  agent: OF_THE_MACHINE,
  crs: OF_THE_MACHINE,
  'admin-login': OF_THE_MACHINE,
  'admin-token': OF_THE_MACHINE,
  keys: OF_THE_MACHINE,
  backup: OF_THE_MACHINE,
  restore: OF_THE_MACHINE,
  login: OF_THE_CALLER,
  logout: OF_THE_CALLER,
  auth: OF_THE_CALLER,
  config: OF_THE_CALLER,
  completion: OF_THE_CALLER,
  version: OF_THE_CALLER,
  'can-i': ANSWERS,
  'explain-access': ANSWERS,
  'where-can-i': ANSWERS,
  'who-can': ANSWERS,
  __complete: ANSWERS,
};
