/**
 * What the runner gives one test file. For a signal that a whole file shares: the runner names the file and what keeps
 * it, so nothing inside should give up earlier.
 */
const FILE_MS = Number(process.env['FLEETSHIFT_TEST_TIMEOUT_MS'] ?? 300_000);

/**
 * How long a test waits for one thing before it says that it hangs. No test asserts how long something took, so this is
 * generous: it only has to end before the half of `FILE_MS` that the runner gives a single test, so that the failure says
 * what was waited for. A slow machine raises FLEETSHIFT_TEST_TIMEOUT_MS, and this grows with it.
 */
export const PATIENCE_MS = Math.ceil(FILE_MS * 0.4);
