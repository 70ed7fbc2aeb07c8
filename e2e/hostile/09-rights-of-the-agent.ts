import { parseAllDocuments } from 'yaml';
import { runCommand } from '../../apps/cli/testing/processes.ts';
import { type Attack, heldOff, type Stage, succeeded } from './attack.ts';

interface Installed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly rules?: readonly {
    readonly resources: readonly string[];
    readonly resourceNames?: readonly string[];
    readonly verbs: readonly string[];
  }[];
  readonly roleRef?: { readonly name: string };
  readonly subjects?: readonly { readonly name: string }[];
}

const NAMED = ['--namespaces', 'shop'];
const USAGE = 2;

export const anyUser: Attack = {
  finding: 9,
  name: 'an agent that is taken over acts as a controller of its cluster, though it is kept to a namespace',
  run: async (stage) => {
    const objects = await manifest(stage, [['--rbac', 'namespaced', ...NAMED]]);
    const rules = objects.flatMap(({ rules: all = [] }) => all.filter(({ verbs }) => verbs.includes('impersonate')));
    if (rules.length === 0) throw new Error('the manifest lets users through to no API');
    const open = rules.filter(
      ({ resources, resourceNames }) => resources.includes('users') && resourceNames === undefined,
    );
    return open.length > 0
      ? succeeded('it may impersonate all users, system:kube-controller-manager among them')
      : heldOff(`it may impersonate ${rules.flatMap(({ resourceNames = [] }) => resourceNames).join(', ')}`);
  },
};

export const identityOfTheAgent: Attack = {
  finding: 9,
  name: 'a deployer reads the identity of the agent, and the orders of other workspaces, through the platform',
  run: async (stage) => {
    // An installer without a namespace option refuses to be given one.
    const objects = await manifest(stage, [NAMED, []]);
    const bound = objects.filter(({ subjects = [] }) =>
      subjects.some(({ name }) => name === 'fleetshift:role:deployer'),
    );
    if (bound.length === 0) throw new Error('the manifest binds no deployers');
    const everywhere = bound.find(({ kind }) => kind === 'ClusterRoleBinding');
    const where = bound.map(({ metadata }) => metadata.namespace ?? 'every namespace').join(', ');
    return everywhere !== undefined || where.includes('fleetshift-system')
      ? succeeded(`deployers are bound to ${everywhere?.roleRef?.name ?? 'a role'} in ${where}`)
      : heldOff(`deployers are bound in ${where}`);
  },
};

/** The manifest as the package's installer prints it, with the first of these choices of flags that it accepts. */
async function manifest({ home }: Stage, choices: readonly (readonly string[])[]): Promise<readonly Installed[]> {
  const platform = await home.start();
  const command = ['target', 'install-manifest', 'eu-1', '-w', 'root', '--no-token', '--api-proxy'];
  const place = ['--server', platform.url, '--data', home.data];
  for (const words of choices) {
    const { code, out, err } = await runCommand([...command, ...words, ...place]);
    if (code === 0) return parseAllDocuments(out).map((document) => document.toJS() as Installed);
    if (code !== USAGE) throw new Error(`install-manifest ${words.join(' ')}: ${err}`);
  }
  throw new Error('the installer takes none of the words');
}
