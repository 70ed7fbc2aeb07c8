import { readFileSync } from 'node:fs';

export interface Usage {
  /** User and system time since its start. */
  readonly cpuSeconds: number;
  /** Its peak resident memory. */
  readonly peakBytes: number;
}

const TICKS_PER_SECOND = 100;

/** Usage of any process; zero where there is no /proc. */
export function usageOf(pid: number): Usage {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    const [, peak = 'NaN'] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    const ticks = Number(fields[11]) + Number(fields[12]);
    return { cpuSeconds: ticks / TICKS_PER_SECOND, peakBytes: Number(peak) * 1024 };
  } catch {
    return { cpuSeconds: Number.NaN, peakBytes: Number.NaN };
  }
}
