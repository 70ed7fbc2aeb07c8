import { chromiumProgram } from '#testing/browser';
import { isOnPath } from '#testing/go-program';

/** Programs that npm does not bring. Tests that need one that is missing are skipped. */
const TOOLS = ['chromium', 'zsh', 'fish', 'go'] as const;
export type Tool = (typeof TOOLS)[number];

/** A list such as `chromium,zsh`: their absence, and a test that is skipped for want of them, fails the run. */
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

/** One line that says what is not tested without it, and how to get it. */
export function missingLine(tool: Tool): string {
  return `without ${tool}: skipping ${USED_FOR[tool]}`;
}

/** The required tools that the reason of a skipped test names. */
export function requiredBy(reason: string, required: readonly Tool[]): Tool[] {
  return required.filter((tool) => new RegExp(`\\b${tool}\\b`, 'i').test(reason));
}
