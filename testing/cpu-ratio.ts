/** Some kernels account a thread's CPU in steps this long. */
const STEP_MS = 10;

/**
 * The CPU of the work as a multiple of a bare loop over the same input. Work that visits the input once is within a small
 * factor of the loop; work that visits all of it for each part is hundreds of times slower. Measures the CPU of this
 * thread, not time, so other processes do not matter. The loop should need some tens of milliseconds.
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

/**
 * The CPU of the work at four times the size, as a multiple of the original: 4 if it is linear, 16 if it is quadratic.
 * Small work is repeated until it is measurable. The lower of two takes counts, because interference only adds.
 */
export function growthRatio(work: (size: number) => void, size: number): number {
  const take = (times: number, of: number): number =>
    cpuMs(() => {
      for (let n = 0; n < times; n += 1) work(of);
    });
  work(size);
  const times = Math.ceil((2 * STEP_MS) / Math.max(0.1, take(1, size)));
  const small = Math.min(take(times, size), take(times, size));
  const large = Math.min(take(times, 4 * size), take(times, 4 * size));
  return large / Math.max(STEP_MS, small);
}
