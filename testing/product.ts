import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Names a folder with the package built from these sources: processes start from it in half the time. */
export const PACKAGE = 'FLEETSHIFT_TEST_PACKAGE';

const built = process.env[PACKAGE];

/** The program fleetshift, from its sources. The Temporal engine is a package of its own, which only they find. */
export const SOURCES = new URL('../apps/cli/main.ts', import.meta.url);

export const SIMULATED_SOURCES = new URL('../e2e/serve-simulated.ts', import.meta.url);

/** The program fleetshift: of the package that the run has built, else the sources. */
export const MAIN = built ? join(built, 'fleetshift.js') : fileURLToPath(SOURCES);

/** `serve` with simulated targets, on either database; the Temporal engine is not in it. */
export const SIMULATED = built ? join(built, 'serve-simulated.js') : fileURLToPath(SIMULATED_SOURCES);

/** What starts it with its own Node and flags. */
export const LAUNCHER = built
  ? join(built, 'bin', 'fleetshift')
  : fileURLToPath(new URL('../bin/fleetshift', import.meta.url));
