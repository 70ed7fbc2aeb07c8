import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { Payload } from '../activity.ts';
import { defineActivity } from '../activity.ts';
import type { WorkflowContext } from '../workflow.ts';
import { defineWorkflow } from '../workflow.ts';
import { drained } from './drained.ts';
import { begin } from './embedded-context.ts';
import { Execution } from './execution.ts';
import type { LoadedWorkflow } from './journal.ts';
import type { JournalEvent } from './journal-event.ts';
import { replayAll } from './replay.ts';

/** A small program over a context: the operations of workflows, combined at random. */
type Op =
  | { readonly kind: 'run'; readonly input: number }
  | { readonly kind: 'sleep'; readonly ms: number }
  | { readonly kind: 'signal'; readonly name: string; readonly timeoutMs: number | undefined }
  | { readonly kind: 'patch'; readonly change: string }
  | { readonly kind: 'chance'; readonly yes: readonly Op[]; readonly no: readonly Op[] }
  | { readonly kind: 'together'; readonly branches: readonly (readonly Op[])[] };

const act = defineActivity<number, number>('act');

async function perform(ctx: WorkflowContext, ops: readonly Op[]): Promise<Payload[]> {
  const seen: Payload[] = [];
  for (const op of ops) {
    if (op.kind === 'run') seen.push(await ctx.run(act, op.input).catch(() => 'failed'));
    else if (op.kind === 'sleep') await ctx.sleep(op.ms);
    else if (op.kind === 'signal') {
      const options = op.timeoutMs === undefined ? {} : { timeoutMs: op.timeoutMs };
      seen.push((await ctx.waitSignal(op.name, options)) ?? 'none');
    } else if (op.kind === 'patch') seen.push(ctx.patched(op.change));
    else if (op.kind === 'chance') seen.push(...(await perform(ctx, ctx.random() < 0.5 ? op.yes : op.no)));
    else seen.push(...(await Promise.all(op.branches.map((branch) => perform(ctx, branch)))).flat());
    seen.push(ctx.now(), ctx.uuid());
  }
  return seen;
}

const { ops: programs } = fc.letrec<{ op: Op; ops: Op[] }>((tie) => ({
  op: fc.oneof(
    { depthSize: 'small' },
    fc.record({ kind: fc.constant('run' as const), input: fc.nat(5) }),
    fc.record({ kind: fc.constant('sleep' as const), ms: fc.nat(100) }),
    fc.record({
      kind: fc.constant('signal' as const),
      name: fc.constantFrom('a', 'b'),
      timeoutMs: fc.option(fc.nat(100), { nil: undefined }),
    }),
    fc.record({ kind: fc.constant('patch' as const), change: fc.constantFrom('p', 'q') }),
    fc.record({ kind: fc.constant('chance' as const), yes: tie('ops'), no: tie('ops') }),
    fc.record({ kind: fc.constant('together' as const), branches: fc.array(tie('ops'), { maxLength: 3 }) }),
  ),
  ops: fc.array(tie('op'), { maxLength: 5 }),
}));

/** The next event: a pending step ends, a signal arrives, or the workflow is cancelled. */
const world = fc.array(
  fc.record({
    pick: fc.nat(50),
    fails: fc.boolean(),
    signal: fc.constantFrom(undefined, undefined, 'a', 'b'),
    more: fc.boolean(),
  }),
  { maxLength: 25 },
);

const EMPTY = { input: undefined, result: undefined, error: undefined, signalId: undefined };

function record(id: string, history: readonly JournalEvent[], ended: boolean): LoadedWorkflow {
  return {
    record: {
      id,
      name: 'program',
      run: 1,
      status: 'running',
      paused: false,
      begun: true,
      waiting: false,
      input: 'null',
      carried: [],
      result: undefined,
      reason: undefined,
      startedAt: 1,
      runStartedAt: 1,
      endedAt: ended ? 2 : undefined,
      parent: undefined,
      parentStep: 0,
    },
    history,
    timers: new Set(),
    attempts: new Map(),
  };
}

/** Everything that is observable of an execution. */
function picture(execution: Execution): unknown {
  return { waiting: execution.waitingFor(), end: execution.end, now: execution.now, length: execution.length };
}

describe('an execution', () => {
  it('is the same after a replay of any part of its history', async () => {
    await fc.assert(
      fc.asyncProperty(programs, world, async (ops, happenings) => {
        const program = defineWorkflow<null, Payload>('program', (ctx) => perform(ctx, ops));
        const live = new Execution({ workflow: program, id: 'w', run: 1, input: 'null', startedAt: 1, carried: [] });
        const history: JournalEvent[] = [];
        const pictures: { readonly length: number; readonly picture: unknown }[] = [];
        let turn = 0;
        const endTurn = async (): Promise<void> => {
          await drained();
          for (const command of live.takeCommands()) {
            if (command.kind === 'patch')
              history.push({ ...EMPTY, turn, kind: 'patch', step: 0, name: command.change, time: turn });
          }
          pictures.push({ length: history.length, picture: picture(live) });
        };
        begin(live);
        await endTurn();
        turn++;
        for (const { pick, fails, signal, more } of happenings) {
          if (live.end !== undefined) break;
          const event = nextEvent(live, { pick, fails, signal, turn });
          if (event === undefined) continue;
          live.apply(event);
          history.push(event);
          if (more && live.pending.size > 0) continue;
          await endTurn();
          turn++;
        }
        await endTurn();
        const workflows = new Map([['program', program]]);
        const parts = pictures.map(({ length, picture: seen }) => ({ seen, part: history.slice(0, length) }));
        const replayed = await replayAll(
          parts.map(({ part }, index) => record('w', part, isEnded(parts[index]?.seen))),
          workflows,
        );
        replayed.forEach((outcome, index) => {
          assert.equal(outcome.kind, 'replayed', outcome.kind === 'parked' ? String(outcome.error) : '');
          if (outcome.kind === 'replayed') assert.deepEqual(picture(outcome.execution), parts[index]?.seen);
        });
      }),
      { numRuns: 300 },
    );
  });
});

function isEnded(seen: unknown): boolean {
  return (seen as { end: unknown }).end !== undefined;
}

interface Choice {
  readonly pick: number;
  readonly fails: boolean;
  readonly signal: string | undefined;
  readonly turn: number;
}

function nextEvent(live: Execution, { pick, fails, signal, turn }: Choice): JournalEvent | undefined {
  if (signal !== undefined)
    return { ...EMPTY, turn, kind: 'signal', step: 0, name: signal, result: String(pick), time: turn };
  const pending = [...live.pending.values()];
  const asked = pending[pick % pending.length]?.asked;
  if (asked === undefined) return undefined;
  const { kind, name, input, number: step } = asked;
  const error = fails && kind === 'activity' ? { code: 'Error', message: 'no', attempts: 1 } : undefined;
  return { ...EMPTY, turn, kind, step, name, input, result: error ? undefined : String(pick), error, time: turn };
}
