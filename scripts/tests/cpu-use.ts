import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { basename } from 'node:path';

/** How a run used the processor. */
export interface CpuUse {
  /** CPU time by program, of this process and everything that it started, in milliseconds. Empty where there is no /proc. */
  readonly byProgram: Readonly<Record<string, number>>;
  /** The share of the cores' time in which the machine was busy, with this run or with anything else. */
  readonly busyShare: number;
}

/** One process, as `/proc` describes it. */
export interface ProcessTimes {
  readonly pid: number;
  readonly parent: number;
  readonly program: string;
  readonly ownMs: number;
  /** The time of children that have ended and that the process has waited for, with their children. */
  readonly endedMs: number;
}

const LOOK_MS = 1_000;
const TICK_MS = 10;

/** Looks at all descendants of this process once a second, because a program's name is gone once it has ended. */
export class CpuWatch {
  readonly #seen = new Map<number, ProcessTimes>();
  readonly #begun = coreTimes();
  readonly #timer = setInterval(() => this.#look(), LOOK_MS).unref();

  stop(): CpuUse {
    clearInterval(this.#timer);
    this.#look();
    const { idle, all } = coreTimes();
    const idleShare = (idle - this.#begun.idle) / Math.max(1, all - this.#begun.all);
    return { byProgram: timesByProgram([...this.#seen.values()]), busyShare: 1 - idleShare };
  }

  #look(): void {
    const known = (pid: number): ProcessTimes | undefined => this.#seen.get(pid);
    for (const found of descendants(process.pid, known)) this.#seen.set(found.pid, found);
  }
}

/**
 * CPU time by program. Children that were never seen, because they ended too soon, count for the program that started
 * them, as `programs of ...`; those of Postgres are its connections.
 */
export function timesByProgram(processes: readonly ProcessTimes[]): Record<string, number> {
  const times: Record<string, number> = {};
  const add = (program: string, ms: number): void => {
    if (ms > 0) times[program] = (times[program] ?? 0) + ms;
  };
  const byParent = Map.groupBy(processes, ({ parent }) => parent);
  for (const { pid, program, ownMs, endedMs } of processes) {
    add(program, ownMs);
    const seenMs = (byParent.get(pid) ?? []).reduce((sum, child) => sum + child.ownMs + child.endedMs, 0);
    add(program === 'postgres' ? program : `programs of ${program}`, endedMs - seenMs);
  }
  return times;
}

function coreTimes(): { readonly idle: number; readonly all: number } {
  const times = cpus().map((core) => core.times);
  return {
    idle: times.reduce((sum, { idle }) => sum + idle, 0),
    all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0),
  };
}

function descendants(root: number, known: (pid: number) => ProcessTimes | undefined): ProcessTimes[] {
  const processes = pids().flatMap((pid) => timesOf(pid, known(pid)) ?? []);
  const byParent = Map.groupBy(processes, ({ parent }) => parent);
  const found = processes.filter(({ pid }) => pid === root);
  for (const { pid } of found) found.push(...(byParent.get(pid) ?? []));
  return found;
}

function pids(): number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

function timesOf(pid: number, before: ProcessTimes | undefined): ProcessTimes | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name is in parentheses and may contain any character.
    const [, parent = 0, ...numbers] = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = numbers.slice(9, 13);
    // A process that was just started has the name of the one that started it.
    const program = before === undefined || before.ownMs === 0 ? programOf(pid) : before.program;
    return { pid, parent, program, ownMs: (user + system) * TICK_MS, endedMs: (endedUser + endedSystem) * TICK_MS };
  } catch {
    // It has just ended.
    return undefined;
  }
}

/** A program's name; for Node the name of the script, and of its command if it has one: `fleetshift.js serve`. */
function programOf(pid: number): string {
  const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
  const name = basename(program.split(' ')[0] ?? '').replace(/:$/, '');
  const script = name === 'node' ? args.findIndex((arg) => /^[^-].*\.[cm]?[jt]s$/.test(arg)) : -1;
  if (script < 0) return name;
  const command = args[script + 1] ?? '';
  return [basename(args[script] ?? ''), /^[a-z-]+$/.test(command) ? command : ''].filter(Boolean).join(' ');
}
