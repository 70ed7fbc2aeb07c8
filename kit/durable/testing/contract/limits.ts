import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Payload } from '#kit/durable';
import { LIMITS } from '#kit/durable';
import { collector, echo, greedy, hauler, mumbler, steps, talkative, tryWork } from '../workflows/index.ts';
import { freshId, rejectsWith } from './driver.ts';
import type { Stage } from './stage.ts';

const TOO_LARGE = LIMITS.payloadBytes;
/** Room for what surrounds the text: quotes and field names. */
const NEARLY = LIMITS.payloadBytes - 100;

export function limitsContract(stage: Stage): void {
  const { world } = stage;

  it('takes payloads up to the limit', async () => {
    const driver = await stage.driver();
    const text = 'x'.repeat(NEARLY - 100);
    const key = freshId('key');
    world.behave(key, (_, work) => work.note ?? null);
    const id = await driver.start(hauler, { key, bytes: NEARLY - 100, as: 'input' });
    assert.equal(await driver.result(id), text);
    const waiting = await driver.start(collector, { count: 1 });
    await driver.signal(waiting, 'item', text);
    assert.deepEqual(await driver.result(waiting), [text]);
  });

  it('refuses what is too large where it comes in', async () => {
    const driver = await stage.driver();
    const text = 'x'.repeat(TOO_LARGE);
    const id = freshId();
    await rejectsWith('PAYLOAD_TOO_LARGE', driver.start(echo, { key: id, value: text }, id));
    await rejectsWith('WORKFLOW_NOT_FOUND', driver.describe(id));
    const waiting = await driver.start(collector, { count: 1 });
    await rejectsWith('PAYLOAD_TOO_LARGE', driver.signal(waiting, 'item', text));
    await driver.signal(waiting, 'item', 'small');
    assert.deepEqual(await driver.result(waiting), ['small']);
  });

  it('counts bytes, not characters', async () => {
    const driver = await stage.driver();
    const waiting = await driver.start(collector, { count: 1 });
    await rejectsWith('PAYLOAD_TOO_LARGE', driver.signal(waiting, 'item', '漢'.repeat(TOO_LARGE / 2)));
    await driver.cancel(waiting);
  });

  it('tells the workflow that the input of an activity is too large, before anybody sees it', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(hauler, { key, bytes: TOO_LARGE, as: 'input' });
    assert.equal(await driver.result(id), 'PAYLOAD_TOO_LARGE');
    assert.equal(world.calls(key).length, 0);
  });

  for (const as of ['result', 'next input'] as const) {
    it(`fails a workflow whose ${as} is too large`, async () => {
      const driver = await stage.driver();
      const id = await driver.start(hauler, { key: freshId('key'), bytes: TOO_LARGE, as });
      await assert.rejects(driver.result(id), (error: { code: string; details: { code: string } }) => {
        assert.deepEqual([error.code, error.details.code], ['WORKFLOW_FAILED', 'PAYLOAD_TOO_LARGE']);
        return true;
      });
    });
  }

  it('fails an activity whose result is too large, without trying again', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    world.behave(key, () => 'x'.repeat(TOO_LARGE));
    const id = await driver.start(tryWork, { kind: 'plain', key });
    const { code, details } = (await driver.result(id)) as { code: string; details: { [key: string]: Payload } };
    assert.deepEqual(
      { code, of: details['code'], attempts: details['attempts'] },
      { code: 'ACTIVITY_FAILED', of: 'PAYLOAD_TOO_LARGE', attempts: 1 },
    );
  });

  it('refuses what JSON cannot say', async () => {
    const driver = await stage.driver();
    const circle: { [key: string]: Payload } = {};
    circle['round'] = circle;
    const id = freshId();
    await rejectsWith('PAYLOAD_NOT_JSON', driver.start(echo, { key: id, value: circle }, id));
    await rejectsWith('PAYLOAD_NOT_JSON', driver.start(echo, { key: id, value: 1n as unknown as Payload }, id));
    const mumbling = await driver.start(mumbler, { key: freshId('key') });
    assert.equal(await driver.result(mumbling), 'PAYLOAD_NOT_JSON');
  });

  it('refuses ids that are empty, too long or no good in a URL, and such names of signals', async () => {
    const driver = await stage.driver();
    const long = 'x'.repeat(LIMITS.nameLength + 1);
    for (const id of ['', long, 'two words', 'a/b', 'ü']) {
      await rejectsWith('PAYLOAD_NOT_JSON', driver.start(steps, { keys: [] }, id));
    }
    const waiting = await driver.start(collector, { count: 1 });
    for (const name of ['', long]) await rejectsWith('PAYLOAD_NOT_JSON', driver.signal(waiting, name));
    await driver.cancel(waiting);
    const fitting = await driver.start(steps, { keys: [] }, freshId('y'.repeat(LIMITS.nameLength - 8)));
    await driver.result(fitting);
  });

  it('has room for so many steps at once, and refuses the next', async () => {
    const driver = await stage.driver();
    const one = await driver.start(greedy, { timers: LIMITS.pendingSteps + 1 });
    assert.equal(await driver.result(one), 'TOO_MANY_PENDING');
    const most = await driver.start(greedy, { timers: LIMITS.pendingSteps });
    await driver.signal(most, 'enough', 'all of them');
    assert.equal(await driver.result(most), 'all of them');
  });

  it('says when a history has grown long, and fails a workflow that does not listen', async () => {
    const driver = await stage.driver();
    const key = freshId('key');
    const id = await driver.start(talkative, { key, most: LIMITS.historyMax });
    await driver.untilStatus(id, 'failed');
    assert.equal((await driver.describe(id)).reason?.code, 'HISTORY_TOO_LONG');
    const atOnce = 500;
    const due = Math.ceil(LIMITS.historyDue / LIMITS.eventsPerEntry / atOnce) * atOnce;
    assert.equal(world.calls(key)[0]?.work.note, due, 'on every engine it is due after the same step');
    const { historyLength } = await driver.describe(id);
    const beyond = historyLength - LIMITS.historyMax / LIMITS.eventsPerEntry;
    // Entries that arrived together with the last one may be in the history too.
    assert.ok(beyond >= 0 && beyond < atOnce, `and failed at the same one, give or take its own batch: ${beyond}`);
    await driver.roundTrip();
  });
}
