import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { freshDatabase } from '#testing/databases';
import { type SeededRandom, seededRandom, share, testSeed } from '#testing/seeded';
import { CountingManifest } from '../../testing/pipeline/counting-manifest.ts';
import { PipelineRun } from '../../testing/pipeline/pipeline-run.ts';

const CASES = 80;

test('whatever crashes, content is generated once for its inputs, and delivered as the plan compared it', async () => {
  for (let index = 0; index < share(CASES); index += 1) {
    const seed = testSeed() + index;
    const counting = new CountingManifest();
    const run = new PipelineRun(await freshDatabase('sqlite'), { manifests: [counting] });
    try {
      assert.deepEqual(await faultsOf(run, counting, seededRandom(seed)), [], `seed ${seed}`);
    } finally {
      await run.dispose();
    }
  }
});

async function faultsOf(run: PipelineRun, counting: CountingManifest, random: SeededRandom): Promise<string[]> {
  const faults: string[] = [];
  const stored = new Set<string>();
  const sinceCrash = new Set<string>();
  counting.latencyMs = random.integer(0, 4);
  counting.before = ({ idempotencyKey, target }) => {
    if (stored.has(idempotencyKey)) faults.push(`${target.name} was generated again, and was stored`);
    if (sinceCrash.has(idempotencyKey)) faults.push(`${target.name} was generated again without a crash`);
    sinceCrash.add(idempotencyKey);
  };
  await run.start();
  const targets = run.fleet.addMany(random.integer(2, 8));
  const rollout = random.pick([{ type: 'immediate' }, { type: 'rolling', batchSize: random.integer(1, 3) }]);
  const uid = await run.create('web', { manifest: { type: 'counting' }, rollout });
  const tiers = new Map<string, number>();
  for (let revision = 1; revision <= 3; revision += 1) {
    for (let step = random.integer(0, 3); step > 0; step -= 1) {
      await delay(random.integer(0, 25));
      if (random.next() < 0.6) {
        await run.stop();
        for (const key of await run.generated(uid)) stored.add(key);
        sinceCrash.clear();
        await run.start();
      } else {
        const target = random.pick(targets);
        const tier = (tiers.get(target) ?? 0) + 1;
        tiers.set(target, tier);
        run.fleet.change(target, { labels: { tier: String(tier) } });
        await run.trigger(uid, { kind: 'regenerate', targets: [target], why: 'targets changed in /labels/tier' });
      }
    }
    await run.idle(uid);
    await run.untilRested(uid);
    await run.trigger(uid, { kind: 'regenerate', why: 'an addon says so' });
  }
  await run.untilRested(uid);
  for (const { target, revision, ...order } of run.fleet.dispatched) {
    if (order.kind !== 'deliver') continue;
    const text = order.documents[0]?.['text'];
    const call = counting.calls.find((each) => each.text === text);
    if (call?.target !== target.name) faults.push(`${target.name} got what was generated for ${call?.target}`);
    if (call?.revision !== revision)
      faults.push(`${target.name} got at ${revision} what was generated at ${call?.revision}`);
  }
  // Each target got last the content that was generated for it last.
  for (const target of targets) {
    const last = run.fleet.dispatched.findLast((order) => order.target.id === target);
    const call = counting.calls.findLast((each) => each.target === last?.target.name);
    const text = last?.kind === 'deliver' ? (last.documents[0]?.['text'] as string) : undefined;
    if (text !== call?.text) faults.push(`${last?.target.name} has ${text}, and ${call?.text} was generated last`);
  }
  return faults;
}
