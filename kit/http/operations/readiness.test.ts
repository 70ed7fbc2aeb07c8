import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Catalogue, FleetError } from '#kit/std';
import type { Probe } from '../ports.ts';
import { MemoryLog, testServer } from '../testing/test-server.ts';
import { ReadinessCheck } from './readiness.ts';

const ERRORS = { AWAY: { category: 'unavailable', retry: 'later' } } as const satisfies Catalogue;
class ProbeError extends FleetError<keyof typeof ERRORS> {
  get entry() {
    return ERRORS[this.code];
  }
}

const good: Probe = { name: 'good', check: async () => 'all is well' };
const quiet: Probe = { name: 'quiet', check: async () => undefined };
const away: Probe = {
  name: 'away',
  check: async () => {
    throw new ProbeError('AWAY', 'the database is being moved');
  },
};
const broken: Probe = { name: 'broken', check: () => Promise.reject(new Error('password=swordfish')) };
const hanging: Probe = { name: 'hanging', check: () => new Promise(() => {}) };

function results(probes: readonly Probe[], log = new MemoryLog()) {
  return new ReadinessCheck({ probes, timeoutMs: 30, log }).check();
}

describe('readiness', () => {
  it('is there when every probe says so', async () => {
    const { status, probes } = await results([good, quiet]);
    assert.equal(status, 'ready');
    assert.deepEqual(
      probes.map((probe) => ({ ...probe, durationMs: 0 })),
      [
        { name: 'good', status: 'ok', message: 'all is well', durationMs: 0 },
        { name: 'quiet', status: 'ok', durationMs: 0 },
      ],
    );
  });

  it('names what fails, and what hangs, and shows only what was written for people', async () => {
    const { status, probes } = await results([away, broken, good, hanging]);
    assert.equal(status, 'unready');
    assert.deepEqual(
      probes.map(({ name, status: own, message }) => [name, own, message]),
      [
        ['away', 'failing', 'the database is being moved'],
        ['broken', 'failing', 'failed; see the log'],
        ['good', 'ok', 'all is well'],
        ['hanging', 'failing', 'no answer within 30 ms'],
      ],
    );
  });

  it('is degraded, and answered with 200, when only a probe fails without which other requests are served', async () => {
    const partial: Probe = { ...away, name: 'writes', onFailure: 'degraded' };
    const { status, probes } = await results([good, partial]);
    assert.deepEqual(
      [status, probes[1]?.status, probes[1]?.message],
      ['degraded', 'failing', 'the database is being moved'],
    );
    assert.equal((await results([partial, broken])).status, 'unready');
    const { server } = await testServer([], { probes: [partial] });
    const answer = await server.inject({ url: '/readyz' });
    assert.deepEqual([answer.statusCode, answer.json().status], [200, 'degraded']);
    await server.close(1000);
  });

  it('asks all at once, and once for all who want to know', async () => {
    let running = 0;
    let most = 0;
    let asked = 0;
    const slow = (name: string): Probe => ({
      name,
      check: async () => {
        asked += 1;
        most = Math.max(most, ++running);
        await new Promise((resolve) => setTimeout(resolve, 10));
        running -= 1;
        return undefined;
      },
    });
    const check = new ReadinessCheck({ probes: ['a', 'b', 'c'].map(slow), timeoutMs: 1000, log: new MemoryLog() });
    await Promise.all([check.check(), check.check()]);
    assert.deepEqual([most, asked], [3, 3]);
    await check.check();
    assert.equal(asked, 6, 'a new question gets a new answer');
  });

  it('is logged when it changes, and not every time', async () => {
    let isGood = true;
    const log = new MemoryLog();
    const probe: Probe = { name: 'p', check: (signal) => (isGood ? good : away).check(signal) };
    const check = new ReadinessCheck({ probes: [probe], timeoutMs: 1000, log });
    for (const next of [true, true, false, false, true]) {
      isGood = next;
      await check.check();
    }
    const lines = log.lines.filter(({ level }) => level !== 'debug').map(({ level, fields }) => [level, fields.reason]);
    assert.deepEqual(lines, [
      ['warn', 'p'],
      ['info', undefined],
    ]);
  });

  it('is answered with 503 when it is not there, and without credentials', async () => {
    const { server } = await testServer([], { probes: [good, hanging], limits: { probeMs: 20 } });
    const answer = await server.inject({ url: '/readyz' });
    assert.equal(answer.statusCode, 503);
    assert.equal(answer.json().status, 'unready');
    assert.equal(answer.json().probes[2].name, 'hanging');
    assert.equal((await server.inject({ url: '/healthz' })).statusCode, 200);
    await server.close(1000);
  });
});
