/**
 * The runner's time limit for one test file. For a signal shared by a whole file: the runner reports the file and what
 * blocks it, so nothing inside should give up earlier.
 */
const FILE_MS = Number(process.env['FLEETSHIFT_TEST_TIMEOUT_MS'] ?? 300_000);

/**
 * How long a test waits for one condition before it fails as hanging. No test asserts durations, so this is generous. It
 * only has to end before the runner's limit for a single test, which is half of `FILE_MS`, so that the failure names the
 * condition. A slow machine raises FLEETSHIFT_TEST_TIMEOUT_MS, and this grows with it.
 */
export const PATIENCE_MS = Math.ceil(FILE_MS * 0.4);
