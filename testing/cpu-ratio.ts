/** Some kernels count the CPU of a thread in steps as long as this. */
const STEP_MS = 10;

/**
 * How many times as much CPU the work needs as a bare loop over the same input. Work that visits the input once is within
 * a small factor of the loop; work that visits all of it for each part is hundreds of times beyond. CPU of this thread,
 * not time: other processes do not change it. The loop should need some tens of milliseconds.
 */
export function cpuRatio(work: () => void, bare: () => void): number {
  const reference = Math.max(STEP_MS, cpuMs(bare));
  return cpuMs(work) / reference;
}

function cpuMs(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
