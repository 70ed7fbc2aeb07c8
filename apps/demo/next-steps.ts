import { relative } from 'node:path';
import { DEMO_DEPLOYMENT, DEMO_WORKSPACE, demoFolder, demoTargets } from './demo-fleet.ts';

export interface NextStepsFacts {
  /** How a person calls this program here. */
  readonly command: string;
  readonly dataFolder: string;
  /** The context to name; `undefined` when it is the current one. */
  readonly context: string | undefined;
  readonly currentFolder: string;
}

/** What a new user does next: to change something, to look, to agree, to break it, and to go back. */
export function nextSteps({ command, dataFolder, context, currentFolder }: NextStepsFacts): string {
  const folder = (name: string): string => {
    const near = relative(currentFolder, demoFolder(dataFolder, name));
    return near.startsWith('..') ? demoFolder(dataFolder, name) : near;
  };
  const say = (words: string): string => `${command} ${words}${context === undefined ? '' : ` --context ${context}`}`;
  const rows = [
    [say('get targets'), `${demoTargets().length} folders below ${folder('')}`],
    [say(`deploy ${DEMO_DEPLOYMENT} --set "greeting=Good morning"`), 'change a value'],
    [say(`rollout status ${DEMO_DEPLOYMENT}`), 'the canary has it, and the rest waits for you'],
    [`cat ${folder('eu-canary')}/etc/app.conf`, 'have a look'],
    [say(`rollout approve ${DEMO_DEPLOYMENT}`), 'let it pass'],
    [say(`rollout status ${DEMO_DEPLOYMENT} --watch`), 'see the rest follow'],
    [`rm ${folder('us-prod-1')}/etc/app.conf`, 'break one, and look at the status again'],
    [say(`rollout rollback ${DEMO_DEPLOYMENT} --yes`), 'go back, everywhere at once'],
  ] as const;
  const width = Math.max(...rows.map(([step]) => step.length));
  const lines = rows.map(([step, why]) => `  ${step.padEnd(width)}  # ${why}`);
  return `
The demo is ready: ${DEMO_DEPLOYMENT} in the workspace ${DEMO_WORKSPACE} is on ${demoTargets().length} targets. In a second terminal:

${lines.join('\n')}

Ctrl-C ends it; the next start goes on from here.
`;
}
