import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Names a folder with the package built from these sources: processes start from it in half the time. */
export const PACKAGE = 'FLEETSHIFT_TEST_PACKAGE';

const built = process.env[PACKAGE];

/**
 * The program fleetshift, from its sources. Needed for the Temporal engine, a separate package that the built one does
 * not include.
 */
export const SOURCES = new URL('../apps/cli/main.ts', import.meta.url);

export const SIMULATED_SOURCES = new URL('../e2e/serve-simulated.ts', import.meta.url);

/** The program fleetshift, from the run's built package or else from its sources. */
export const MAIN = built ? join(built, 'fleetshift.js') : fileURLToPath(SOURCES);

/** `serve` with simulated targets, on either database; without the Temporal engine. */
export const SIMULATED = built ? join(built, 'serve-simulated.js') : fileURLToPath(SIMULATED_SOURCES);

/** The launcher, which runs the program with its own Node and flags. */
export const LAUNCHER = built
  ? join(built, 'bin', 'fleetshift')
  : fileURLToPath(new URL('../bin/fleetshift', import.meta.url));
