import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { LocalTarget, TargetClaim, TargetHandlers } from '#contexts/channels';
import { memoryLogger } from '#kit/telemetry/testing';
import type { TargetRef } from '#protocol/targets';
import { PATIENCE_MS } from '#testing/patience';
import { type RegistrationHandlers, registerTarget } from './target-registration.ts';

const CLAIM: TargetClaim = {
  name: 'web',
  type: 'kubernetes',
  serving: 'proxy',
  labels: {},
  properties: '{}',
  manifestTypes: [],
  instance: 'one',
  agentVersion: '1.0.0',
};

function stage(more: Partial<RegistrationHandlers> = {}) {
  const happened: string[] = [];
  const registered: TargetHandlers[] = [];
  const { log, lines } = memoryLogger();
  const client = {
    registerTarget: (claim: TargetClaim, handlers: TargetHandlers): LocalTarget => {
      happened.push(`register ${claim.name}`);
      registered.push(handlers);
      return {
        name: claim.name,
        uid: undefined,
        update: (next) => happened.push(`update ${next.instance}`),
        deregister: async () => void happened.push('deregister'),
      };
    },
  };
  const server = {
    accepted: ({ id }: TargetRef) => void happened.push(`accepted ${id}`),
    connected: async ({ id }: TargetRef) => void happened.push(`account ${id}`),
    gone: (id: string) => void happened.push(`gone ${id}`),
  };
  const registration = registerTarget(
    { client, server, log, signal: new AbortController().signal, sleep: async () => {} },
    {
      claim: CLAIM,
      take: async ({ id }) => void happened.push(`take ${id}`),
      drop: async ({ id }) => void happened.push(`drop ${id}`),
      lost: ({ reason }) => happened.push(`not ours: ${reason}`),
      ...more,
    },
  );
  const last = (): TargetHandlers => registered.at(-1) ?? assert.fail('nothing was registered');
  return { registration, happened, last, lines };
}

/** Waits until background work has finished. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

suite('a target that a process speaks for', () => {
  test('is taken when it is accepted, and accounted for when the platform is ready', async () => {
    const { registration, happened, last } = stage();
    last().accepted('u1');
    last().syncNow?.();
    await settled();
    assert.deepEqual(happened, ['register web', 'take u1', 'accepted u1', 'take u1', 'account u1']);
    assert.equal(registration.ref?.id, 'u1');
  });

  test('is dropped before anything else happens when somebody else speaks for it, and is asked for again', async () => {
    const { registration, happened, last } = stage();
    last().accepted('u1');
    await settled();
    happened.length = 0;
    last().superseded?.('closer');
    assert.deepEqual(happened, ['gone u1', 'drop u1', 'not ours: superseded', 'register web']);
    assert.equal(registration.ref, undefined);
    last().syncNow?.();
    await settled();
    assert.equal(happened.length, 4, 'there is nothing to account for');
    last().accepted('u1');
    await settled();
    assert.deepEqual(happened.slice(4), ['take u1', 'accepted u1'], 'nobody else is left');
  });

  test('is not served when it was lost while it was about to be taken', async () => {
    const { happened, last } = stage();
    last().accepted('u1');
    last().refused?.('notBound', 'deleted');
    await settled();
    assert.deepEqual(happened, ['register web', 'gone u1', 'drop u1', 'not ours: notBound']);
  });

  test('is another one under another uid', async () => {
    const { happened, last } = stage();
    last().accepted('u1');
    await settled();
    last().accepted('u2');
    await settled();
    assert.deepEqual(happened.slice(3), ['gone u1', 'drop u1', 'take u2', 'accepted u2']);
  });

  test('that is refused again and again is told of once', async () => {
    const { lines, last } = stage();
    for (const _ of [1, 2, 3]) last().refused?.('served', 'one that is closer speaks for it');
    assert.equal(lines.length, 1);
    last().accepted('u1');
    last().refused?.('served', 'one that is closer speaks for it');
    assert.equal(lines.length, 3, 'and again after it was ours');
  });

  test('is given back with what was done for it', async () => {
    const { registration, happened, last } = stage();
    last().accepted('u1');
    await settled();
    await registration.deregister(AbortSignal.timeout(PATIENCE_MS));
    assert.deepEqual(happened.slice(3), ['gone u1', 'drop u1', 'deregister']);
  });

  test('that cannot be taken is tried until it can', async () => {
    let tries = 0;
    const { lines, last, happened } = stage({
      take: async () => {
        tries += 1;
        if (tries < 4) throw new Error('the disk is full');
      },
    });
    last().accepted('u1');
    last().syncNow?.();
    while (tries < 4) await settled();
    await settled();
    assert.deepEqual(happened, ['register web', 'account u1']);
    assert.equal(lines.filter(({ level }) => level === 'warn').length, 3);
  });
});
