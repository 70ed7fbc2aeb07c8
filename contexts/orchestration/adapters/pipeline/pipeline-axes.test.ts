import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eachDatabase } from '#testing/databases';
import type { GenerateContext } from '../../domain/manifest/generate-context.ts';
import type { ManifestStrategy } from '../../domain/manifest/manifest-strategy.ts';
import type { PlacementStrategy } from '../../domain/placement/placement-strategy.ts';
import { aRun, inline } from '../../testing/pipeline/pipeline-run.ts';

/** Strategies that record their calls: targets with the label `in` are placed, and get a text. */
class Witnesses {
  resolved = 0;
  isOutOfOrder = false;
  text = 'one';
  readonly generated: GenerateContext[] = [];

  get placement(): PlacementStrategy {
    return {
      type: 'witness',
      chooses: 'each',
      faults: () => [],
      choose: (_, pool) => {
        this.resolved += 1;
        if (this.isOutOfOrder) throw new Error('the source is not synced');
        return { chosen: pool.filter(({ labels }) => labels['in'] === 'yes').map(({ id }) => id) };
      },
    };
  }

  get manifest(): ManifestStrategy {
    return {
      type: 'witness',
      parse: (spec) => ({ kind: 'parsed', value: spec }),
      reads: () => [],
      fits: () => undefined,
      generate: (_, context) => {
        this.generated.push(context);
        return { kind: 'generated', documents: [{ kind: 'Note', metadata: { name: 'note' }, text: this.text }] };
      },
    };
  }

  /** Since the last call. */
  takeGenerated(): string[] {
    const names = new Set(this.generated.splice(0).map(({ target }) => target.name));
    return [...names].sort((a, b) => (a < b ? -1 : 1));
  }
}

const WITNESSED = { manifest: { type: 'witness' }, placement: [{ type: 'witness' }] };
const IN = { labels: { in: 'yes' } };

eachDatabase('each trigger runs its axis again, and what is downstream', (fresh) => {
  it('a manifest that would differ is generated for all that are placed, and placement is not asked', async (t) => {
    const seen = new Witnesses();
    const run = await aRun(t, await fresh(), { placements: [seen.placement], manifests: [seen.manifest] });
    run.fleet.addMany(3, IN);
    const uid = await run.create('web', WITNESSED);
    await run.idle(uid);
    await run.untilRested(uid);
    seen.takeGenerated();
    const { resolved } = seen;
    seen.text = 'two';
    await run.trigger(uid, { kind: 'regenerate', why: 'an addon says so' });
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.equal(seen.resolved, resolved);
    assert.deepEqual(seen.takeGenerated(), ['t00000', 't00001', 't00002']);
    assert.equal(run.fleet.dispatched.length, 6);
  });

  it('a placement that is out of order does not hold up what goes to those that are placed', async (t) => {
    const seen = new Witnesses();
    const run = await aRun(t, await fresh(), { placements: [seen.placement] });
    const ids = run.fleet.addMany(2, IN);
    const uid = await run.create('web', { placement: [{ type: 'witness' }], driftPolicy: 'repair' });
    await run.idle(uid);
    seen.isOutOfOrder = true;
    const [target = run.fleet.add('none')] = ids;
    await run.fleet.report({ kind: 'drift', target, deployment: uid, revision: 1, objects: ['Note/note'] });
    const end = await run.until(uid, 'a repair', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual([end.status.counts.drifted, end.status.placement.kind], [0, 'sure']);
    assert.deepEqual(
      run.fleet.dispatched.slice(2).map(({ target: { id } }) => id),
      [target],
    );
  });

  it('another placement generates for those that come, and for nobody who stays', async (t) => {
    const seen = new Witnesses();
    const run = await aRun(t, await fresh(), { placements: [seen.placement], manifests: [seen.manifest] });
    run.fleet.addMany(3, IN);
    const late = run.fleet.add('late');
    const uid = await run.create('web', WITNESSED);
    await run.idle(uid);
    seen.takeGenerated();
    run.fleet.change(late, IN);
    await run.trigger(uid, { kind: 'scores' });
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual(seen.takeGenerated(), ['late']);
    assert.deepEqual(
      run.fleet.dispatched.slice(3).map(({ target }) => target.name),
      ['late'],
    );
  });

  it('a target that leaves is emptied without a word to the manifest', async (t) => {
    const seen = new Witnesses();
    const run = await aRun(t, await fresh(), { placements: [seen.placement], manifests: [seen.manifest] });
    const [first = run.fleet.add('none')] = run.fleet.addMany(3, IN);
    const uid = await run.create('web', WITNESSED);
    await run.idle(uid);
    seen.takeGenerated();
    run.fleet.change(first, { labels: {} });
    await run.trigger(uid, { kind: 'target', target: first, causes: ['relabel'] });
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual(seen.takeGenerated(), []);
    assert.equal(run.fleet.has(first, uid), undefined);
  });

  it('a patch of the rollout alone delivers nothing, and governs the next rollout', async (t) => {
    const run = await aRun(t, await fresh());
    run.fleet.addMany(2);
    const uid = await run.create('web', {});
    await run.idle(uid);
    await run.patch(uid, { rollout: { type: 'rolling', batchSize: 1 } }, ['rollout']);
    assert.equal((await run.idle(uid)).revision, 1);
    assert.equal(run.fleet.dispatched.length, 2);
    await run.patch(uid, { manifest: inline('two') }, ['manifest']);
    const end = await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    assert.deepEqual(
      end.status.rollout?.steps.map(({ name }) => name),
      ['batch-1', 'batch-2'],
    );
  });

  it('a burst that comes during a rollout is one rollout after it', async (t) => {
    const run = await aRun(t, await fresh());
    const ids = run.fleet.addMany(4, { script: { health: 'silent' } });
    const uid = await run.create('web', {});
    await run.until(uid, 'all of it', () => run.fleet.dispatched.length === ids.length);
    for (const target of ids) await run.trigger(uid, { kind: 'drift', target });
    for (const target of ids) {
      run.fleet.script(target, {});
      await run.fleet.report({
        kind: 'health',
        target,
        deployment: uid,
        revision: 1,
        health: 'Available',
        message: '',
      });
    }
    await run.until(uid, 'the second', (it) => it.revision === 2 && it.rollout === undefined);
    await run.untilRested(uid);
    assert.deepEqual([(await run.get(uid)).revision, run.fleet.dispatched.length], [2, 2 * ids.length]);
  });

  it('a manifest is told of the whole target, the deployment, the revision, the namespace and the config', async (t) => {
    const seen = new Witnesses();
    const run = await aRun(t, await fresh(), { manifests: [seen.manifest] });
    const properties = { registry: { host: 'eu.example' } };
    const id = run.fleet.add('edge', { labels: { zone: 'b' }, properties, manifestTypes: ['witness'] });
    const draft = { manifest: { type: 'witness' }, namespace: 'shop', config: { size: 3 } };
    const uid = await run.create('web', draft);
    await run.idle(uid);
    const target = {
      id,
      name: 'edge',
      type: 'kubernetes',
      labels: { zone: 'b' },
      properties,
      manifestTypes: ['witness'],
    };
    const deployment = { uid, name: 'web', workspace: 'shop' };
    const { idempotencyKey, ...context } = seen.generated.at(-1) ?? { idempotencyKey: '' };
    assert.match(idempotencyKey, /^sha256:/);
    assert.deepEqual(context, {
      target,
      deployment,
      revision: 1,
      namespace: 'shop',
      config: { size: 3 },
      speculative: false,
    });
  });
});
