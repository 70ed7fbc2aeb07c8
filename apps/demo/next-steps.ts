import { dirname, relative } from 'node:path';
import { DEMO_DEPLOYMENT, DEMO_WORKSPACE, demoFolder, demoTargets } from './demo-fleet.ts';
import { CLUSTERS_DEPLOYMENT, CLUSTERS_WORKSPACE } from './demo-kubernetes.ts';

export interface NextStepsFacts {
  /** How a user calls this program here. */
  readonly command: string;
  readonly dataFolder: string;
  /** Whether commands that do not name the demo go to another platform or workspace. */
  readonly isElsewhere: boolean;
  readonly currentFolder: string;
  /** Address of the platform for the commands. */
  readonly server: string;
  /** Set if there are clusters. */
  readonly clusters?: ClusterFacts;
}

interface ClusterFacts {
  readonly names: readonly string[];
  readonly kubeconfig: string;
  readonly kubectl: string;
}

/** Where a platform listens by default. */
const USUAL_SERVER = 'http://127.0.0.1:8700';
/** Where commands look for a platform of this machine. */
const USUAL_FOLDER = '.fleetshift';

type Row = readonly [step: string, why: string];

/** Next steps for a new user: change something, check, approve, break it, and roll back. */
export function nextSteps(facts: NextStepsFacts): string {
  const { command, dataFolder, isElsewhere, currentFolder, server, clusters } = facts;
  const near = (path: string): string => {
    const short = relative(currentFolder, path);
    return short.startsWith('..') ? path : short;
  };
  const folder = (name: string): string => near(demoFolder(dataFolder, name));
  const where = [
    ...(server === USUAL_SERVER && !isElsewhere ? [] : [`--server ${server}`]),
    ...(near(dataFolder) === USUAL_FOLDER ? [] : [`--data ${near(dataFolder)}`]),
  ];
  const place = (words: string) => (isElsewhere && !words.includes(' -w ') ? [`-w ${DEMO_WORKSPACE}`] : []);
  const say = (words: string): string => [command, words, ...place(words), ...where].join(' ');
  const rows: readonly Row[] = [
    [say('get targets'), `${demoTargets().length} folders below ${folder('')}`],
    [say(`deploy ${DEMO_DEPLOYMENT} --set "greeting=Good morning"`), 'change a value'],
    [say(`rollout status ${DEMO_DEPLOYMENT}`), 'the canary has it, and the rest waits for you'],
    [`cat ${folder('eu-canary')}/etc/app.conf`, 'have a look'],
    [say(`rollout approve ${DEMO_DEPLOYMENT}`), 'let it pass'],
    [say(`rollout status ${DEMO_DEPLOYMENT} --watch`), 'see the rest follow'],
    [`rm ${folder('us-prod-1')}/etc/app.conf`, 'break one, and look at the status again'],
    [say(`rollout rollback ${DEMO_DEPLOYMENT} --yes`), 'go back, everywhere at once'],
  ];
  const also =
    clusters === undefined ? '' : clusterSteps({ ...clusters, kubeconfig: near(clusters.kubeconfig) }, command, say);
  return `
The demo is ready: ${DEMO_DEPLOYMENT} in the workspace ${DEMO_WORKSPACE} is on ${demoTargets().length} targets. In a second terminal:

${drawn(rows)}
${also}
Ctrl-C ends it; the next start goes on from here.
`;
}

function clusterSteps(
  { names, kubeconfig, kubectl }: ClusterFacts,
  command: string,
  say: (words: string) => string,
): string {
  const there = `-w ${CLUSTERS_WORKSPACE}`;
  const first = names[0] ?? '';
  const onFirst = `kubectl --context ${first} -n web`;
  const rows: readonly Row[] = [
    [`${onFirst} get pods`, 'what is there'],
    [say(`deploy ${CLUSTERS_DEPLOYMENT} --set image=web:2.0 ${there}`), 'a new image, on the canary first'],
    [say(`rollout status ${CLUSTERS_DEPLOYMENT} ${there} --watch`), 'see it pass'],
    [`${onFirst} delete configmap web`, 'break it'],
    [say(`get deployments ${there}`), 'it was noticed'],
  ];
  const through: readonly Row[] = [
    [say(`kubeconfig generate ${first} --merge${forKubectl(command)}`), 'into the same kubeconfig'],
    [`kubectl --context fleetshift-${first} -n web get pods`, 'with your role on the platform'],
  ];
  const found = names.length === 1 ? 'There is a cluster' : `There are ${names.length} clusters`;
  return `
${found} as well, with simulated Pods:

  export KUBECONFIG=${kubeconfig} PATH=$PATH:${dirname(kubectl)}
${drawn(rows)}

Clusters that you do not reach yourself are reached through the platform:

${drawn(through)}
`;
}

/** The program that provides the login for kubectl. */
function forKubectl(command: string): string {
  return command.includes('/') ? ` --command "$PWD/${command}"` : '';
}

/** Aligns the explanations. */
function drawn(rows: readonly Row[]): string {
  const width = Math.max(...rows.map(([step]) => step.length));
  return rows.map(([step, why]) => `  ${step.padEnd(width)}  # ${why}`).join('\n');
}
