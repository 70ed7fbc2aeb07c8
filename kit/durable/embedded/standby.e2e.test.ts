import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it, type TestContext } from 'node:test';
import type { Payload } from '#kit/durable';
import { DATABASES, freshDatabase, type TestDatabase } from '#testing/databases';
import { eventually } from '../testing/eventually.ts';
import { HELD, isHolding, readEffects, release } from '../testing/kill/effects.ts';
import { EMBEDDED_EXECUTOR } from '../testing/kill/embedded-subject.ts';
import { ExecutorProcess } from '../testing/kill/executor-process.ts';
import type { ExecutorNews, WorkflowOutcome } from '../testing/kill/executor-protocol.ts';
import type { ChainStep } from '../testing/kill/kill-workflows.ts';
import { assertConsistent, assertRecordedOnce } from '../testing/kill/verify.ts';

const skip = DATABASES.includes('postgres') ? false : 'FLEETSHIFT_TEST_DATABASES leaves Postgres out';

describe('two processes on one Postgres', { skip }, () => {
  let folder: string;
  let database: TestDatabase;

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'fleetshift-standby-'));
    database = await freshDatabase('postgres');
  });
  after(async () => {
    await database.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  it('the one that stands by takes over from one that is killed, and records no step twice', async (t) => {
    const steps = 1_500;
    const chain = Array.from({ length: steps }, (_, item) => work(item));
    const { executors, files } = start(t, { id: 'killed', chain });
    const active = await eventually('one to have worked for a while', () =>
      executors.find((executor) => effectsOf(executor, files).length > steps / 20),
    );
    const standby = other(executors, active);
    assert.equal(effectsOf(standby, files).length, 0, 'only one executes');

    active.process.kill('SIGKILL');
    await eventually('the standby to go on', () => effectsOf(standby, files).length > 0);

    const outcomes = await outcomesOf(standby);
    assert.equal(outcomes[0]?.history.length, steps);
    assertConsistent(outcomes);
    assertRecordedOnce(outcomes, readEffects(files));
  });

  it('one that was only held up can record nothing more once another has taken over', async (t) => {
    const { executors, files } = start(t, { id: 'held-up', chain: [work(0), work(HELD), work(2)], leaseMs: 600 });
    const isHeld = ({ process }: Followed): boolean => isHolding(files, process.pid);
    const active = await eventually('one to be in the middle of a step', () => executors.find(isHeld));
    const standby = other(executors, active);

    active.process.kill('SIGSTOP');
    await eventually('the standby to do the step again', () => isHeld(standby));
    active.process.kill('SIGCONT');
    release(files, active.process.pid);
    await eventually('the first to learn that it lost the lease', () => has(active, 'interrupted'));
    release(files, standby.process.pid);

    const outcomes = await outcomesOf(standby);
    assertConsistent(outcomes);
    const tokens = JSON.stringify(outcomes[0]?.result);
    assert.match(
      tokens,
      new RegExp(`:${active.process.pid}\\..*:${standby.process.pid}\\..*:${standby.process.pid}\\.`),
    );
    assert.deepEqual(await outcomesOf(active), outcomes, 'it sees what the other did');
  });

  interface Start {
    readonly id: string;
    readonly chain: readonly ChainStep[];
    readonly leaseMs?: number;
  }

  /** Two executors with one workflow. */
  function start(t: TestContext, { id, chain, ...more }: Start) {
    if (database.engine !== 'postgres') throw new Error('Postgres was asked for');
    const place: Payload = { engine: 'postgres', url: database.url, ...more };
    const files = mkdtempSync(join(folder, `${id}-`));
    const starts = [{ workflow: 'kill-chain', id, input: { steps: chain, fails: false } }];
    const orders = {
      workload: { starts, signals: [], ids: [id] },
      death: { at: 'end' },
      folder: files,
      place,
    } as const;
    const executors = [1, 2].map(() => follow(new ExecutorProcess({ program: EMBEDDED_EXECUTOR, orders })));
    t.after(() => executors.forEach(({ process }) => process.kill('SIGKILL')));
    return { executors, files };
  }
});

interface Followed {
  readonly process: ExecutorProcess;
  readonly news: ExecutorNews[];
  readonly ended: Promise<void>;
}

function follow(process: ExecutorProcess): Followed {
  const news: ExecutorNews[] = [];
  const ended = (async () => {
    for await (const each of process.news()) news.push(each);
  })();
  // The rejection is reported where the outcomes are awaited.
  ended.catch(() => {});
  return { process, news, ended };
}

async function outcomesOf({ news, ended }: Followed): Promise<readonly WorkflowOutcome[]> {
  await ended;
  const done = news.find((each) => each.kind === 'done');
  if (done === undefined) throw new Error('the executor ended without outcomes');
  return done.outcomes;
}

function other(executors: readonly Followed[], one: Followed): Followed {
  const found = executors.find((executor) => executor !== one);
  if (found === undefined) throw new Error('there is only one');
  return found;
}

function has({ news }: Followed, kind: ExecutorNews['kind']): boolean {
  return news.some((each) => each.kind === kind);
}

function effectsOf({ process }: Followed, files: string) {
  return readEffects(files).filter(({ token }) => token.includes(`:${process.pid}.`));
}

function work(item: number | string): ChainStep {
  return { do: 'work', item, failures: 0 };
}
