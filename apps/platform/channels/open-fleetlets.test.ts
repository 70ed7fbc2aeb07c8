import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { unlessAborted } from '#kit/std';
import { serveUntil } from './open-fleetlets.ts';

const STOPPED = AbortSignal.abort();

describe('a stop', () => {
  it('sends fleetlets away and ends', async () => {
    let drained = 0;
    const drain = async (): Promise<void> => void (drained += 1);
    await serveUntil(STOPPED, { drain, log: { warn: () => assert.fail() } });
    assert.equal(drained, 1);
  });

  it('ends well when there is no time to record who went, and says so', async () => {
    const said: unknown[] = [];
    const drain = (signal: AbortSignal): Promise<void> => unlessAborted(new Promise(() => {}), signal);
    await serveUntil(STOPPED, { drain, log: { warn: (...line: unknown[]) => said.push(line[1]) }, drainMs: 1 });
    assert.deepEqual(said, ['disconnect of fleetlets not recorded in time; the next start detects it']);
  });

  it('does not hide another failure', async () => {
    const drain = async (): Promise<void> => {
      throw new Error('no such table');
    };
    await assert.rejects(serveUntil(STOPPED, { drain, log: { warn: () => assert.fail() } }), /no such table/);
  });
});
