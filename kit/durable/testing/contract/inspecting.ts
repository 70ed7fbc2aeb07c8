import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { WorkflowSummary } from '#kit/durable';
import { eventually } from '../eventually.ts';
import { collector, ending, everything, steps } from '../workflows/index.ts';
import { doneText } from '../world.ts';
import { type Driver, freshId, SKEW_MS, withoutTimes } from './driver.ts';
import type { Stage } from './stage.ts';

export function inspectingContract(stage: Stage): void {
  const { world } = stage;

  it('tells what happened, step by step, in the order in which the workflow saw it', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.behave(`${key}-bad`, () => {
      throw new RangeError('out of range');
    });
    const id = await driver.start(everything, { key });
    await driver.untilWaitingFor(id, 'signal');
    await driver.signal(id, 'go', { with: 'care' });
    await eventually('the last wait', async () =>
      (await driver.describe(id)).waitingFor.some(({ kind, name }) => kind === 'signal' && name === 'never'),
    );
    await driver.cancel(id, 'enough');
    await driver.untilStatus(id, 'cancelled');
    const expected = historyOfEverything(key);
    const history = await driver.history(id);
    assert.deepEqual(withoutTimes(history), expected);
    assert.equal((await driver.describe(id)).historyLength, expected.length);
    const times = history.map(({ time }) => time);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    const later = await stage.restarted();
    assert.deepEqual(await later.history(id), history, 'an engine that comes later tells the same');
  });

  it('describes one that runs and one that has ended', async () => {
    const driver = await stage.driver();
    const [key, begun] = [freshId('key'), Date.now()];
    const held = world.hold(key);
    const id = await driver.start(steps, { keys: [key] });
    const { since = 0, ...waiting } = await driver.untilWaitingFor(id, 'activity');
    assert.deepEqual([waiting.name, waiting.step], ['work', 1]);
    assert.ok(since >= begun - SKEW_MS && since <= Date.now() + SKEW_MS, `${since}`);
    const running = await driver.describe(id);
    assert.deepEqual(
      { id: running.id, name: running.name, status: running.status, run: running.run, input: running.input },
      { id, name: 'steps', status: 'running', run: 1, input: { keys: [key] } },
    );
    assert.ok(running.startTime >= begun - SKEW_MS && running.startTime <= since + SKEW_MS, `${running.startTime}`);
    assert.equal('endTime' in running, false);
    held.open();
    await driver.result(id);
    const ended = await driver.describe(id);
    assert.deepEqual([ended.status, ended.result, ended.waitingFor], ['completed', [doneText(key)], []]);
    assert.ok((ended.endTime ?? 0) >= ended.startTime);
  });

  it('lists the newest first, page by page, each once', async () => {
    const driver = await stage.driver();
    const ids: string[] = [];
    for (let index = 0; index < 7; index += 1) ids.push(await driver.start(ending, { key: freshId(), as: 'nothing' }));
    await Promise.all(ids.map((id) => driver.result(id)));
    // An engine with a search index of its own may list a workflow before it lists its end.
    const pages = await eventually('all to be listed as ended', async () => {
      const listed = await allPages(driver, ids.length);
      const ended = new Set(listed.flat().flatMap(({ id, status }) => (status === 'running' ? [] : [id])));
      return ids.every((id) => ended.has(id)) && listed;
    });
    assert.ok(pages.every((page) => page.length <= 3));
    const found = pages.flat().filter(({ id }) => ids.includes(id));
    assert.deepEqual(new Set(found.map(({ id }) => id)).size, found.length);
    const times = found.map(({ startTime }) => startTime);
    assert.deepEqual(
      times,
      times.toSorted((a, b) => b - a),
    );
    assert.deepEqual([found[0]?.name, found[0]?.status], ['ending', 'completed']);
  });

  it('lists by status and by name', async () => {
    const driver = await stage.driver();
    const waiting = await driver.start(collector, { count: 1 });
    await driver.untilWaitingFor(waiting, 'signal');
    const ids = async (query: Parameters<Driver['list']>[0]) => (await driver.list(query)).items.map(({ id }) => id);
    const has = (what: string, query: Parameters<Driver['list']>[0], present: boolean) =>
      eventually(what, async () => (await ids(query)).includes(waiting) === present);
    await has('it among the running', { status: 'running', pageSize: 100 }, true);
    await has('it among its kind', { name: 'collector', pageSize: 100 }, true);
    await has('it not among others', { name: 'steps', pageSize: 100 }, false);
    await has('it not among the paused', { status: 'paused', pageSize: 100 }, false);
    await driver.pause(waiting);
    await has('it among the paused', { status: 'paused', name: 'collector', pageSize: 100 }, true);
    await has('it not among the running', { status: 'running', pageSize: 100 }, false);
    await driver.cancel(waiting);
    await has('it among the cancelled', { status: 'cancelled', pageSize: 100 }, true);
  });
}

async function allPages(driver: Driver, enough: number): Promise<WorkflowSummary[][]> {
  const pages: WorkflowSummary[][] = [];
  let pageToken: string | undefined;
  do {
    const page = await driver.list({ name: 'ending', pageSize: 3, ...(pageToken !== undefined && { pageToken }) });
    pages.push(page.items);
    pageToken = page.nextPageToken;
  } while (pageToken !== undefined && pages.length < enough * 10);
  return pages;
}

function historyOfEverything(key: string) {
  const child = { keys: [`${key}-child`] };
  return [
    { kind: 'activity', step: 1, name: 'work', input: { key, note: [1, null, 'two'] }, result: doneText(key) },
    {
      kind: 'activity',
      step: 2,
      name: 'work-once',
      input: { key: `${key}-bad` },
      error: { code: 'RangeError', message: 'out of range' },
    },
    { kind: 'timer', step: 3, name: '', input: 5 },
    { kind: 'patch', step: 0, name: 'a change' },
    { kind: 'signal', step: 0, name: 'go', result: { with: 'care' } },
    { kind: 'child', step: 4, name: 'steps', input: child, result: [doneText(`${key}-child`)] },
    { kind: 'timer', step: 5, name: '', input: 6 },
    { kind: 'cancel', step: 0, name: 'enough' },
  ];
}
