import { chromiumProgram } from '#testing/browser';
import { isOnPath } from '#testing/go-program';

/** Programs that npm does not install. Tests that need a missing one are skipped. */
const TOOLS = ['chromium', 'zsh', 'fish', 'go'] as const;
export type Tool = (typeof TOOLS)[number];

/** A list such as `chromium,zsh`: if one of these is missing, or a test is skipped for lack of one, the run fails. */
export const REQUIRE = 'FLEETSHIFT_TEST_REQUIRE';

const USED_FOR: Readonly<Record<Tool, string>> = {
  chromium: 'journeys in a browser; "apt-get install chromium", or name one in CHROMIUM',
  zsh: 'completion in zsh; "apt-get install zsh"',
  fish: 'completion in fish; "apt-get install fish"',
  go: 'real clusters, Temporal, Helm and Cluster API; install Go 1.26 or newer',
};

export function requiredTools(env: NodeJS.ProcessEnv): Tool[] {
  const names = (env[REQUIRE] ?? '').split(',').filter(Boolean);
  return names.map((name) => {
    const tool = TOOLS.find((known) => known === name);
    if (tool === undefined) throw new Error(`${REQUIRE} names ${name}: use ${TOOLS.join(', ')}`);
    return tool;
  });
}

export function missingTools(env: NodeJS.ProcessEnv): Tool[] {
  return TOOLS.filter((tool) => (tool === 'chromium' ? chromiumProgram() === undefined : !isOnPath(tool, env)));
}

/** The line that names the skipped tests, and how to install the tool. */
export function missingLine(tool: Tool): string {
  return `without ${tool}: skipping ${USED_FOR[tool]}`;
}

/** The required tools named by the reason of a skipped test. */
export function requiredBy(reason: string, required: readonly Tool[]): Tool[] {
  return required.filter((tool) => new RegExp(`\\b${tool}\\b`, 'i').test(reason));
}
