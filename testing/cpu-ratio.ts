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

/**
 * How many times as much CPU the work needs for four times the size: 4 where it is linear, 16 where it is quadratic. Small
 * work is repeated until it can be measured, and the lesser of two takes counts: what others do only adds.
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
