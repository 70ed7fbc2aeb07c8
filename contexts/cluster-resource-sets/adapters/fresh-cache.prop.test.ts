import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '#kit/kube';
import { FreshCache } from './fresh-cache.ts';

interface Step {
  readonly name: string;
  /** The event on the server. */
  readonly what: 'we write' | 'they write' | 'we delete' | 'they delete';
  /** How many changes the watch delivers after it. */
  readonly told: number;
}

const step: fc.Arbitrary<Step> = fc.record({
  name: fc.constantFrom('a', 'b'),
  what: fc.constantFrom('we write', 'they write', 'we delete', 'they delete'),
  told: fc.nat(3),
});

/** A server whose changes reach the cache late, in order. */
class LateServer {
  readonly objects = new Map<string, KubeObject>();
  readonly cached = new Map<string, KubeObject>();
  readonly fresh: FreshCache<KubeObject>;
  readonly #changes: (() => void)[] = [];
  #version = 1;

  constructor() {
    const { cached } = this;
    const list = () => [...cached.values()];
    this.fresh = new FreshCache({ size: 0, get: ({ name }) => cached.get(name), list, index: () => assert.fail() });
  }

  write(name: string): KubeObject {
    this.#version += 1;
    const uid = this.objects.get(name)?.metadata.uid ?? `uid-${this.#version}`;
    const metadata = { name, namespace: 'n', uid, resourceVersion: String(this.#version) };
    const object = { apiVersion: 'v1', kind: 'X', metadata };
    this.objects.set(name, object);
    this.#changes.push(() => this.cached.set(name, object));
    return object;
  }

  delete(name: string): KubeObject | undefined {
    const object = this.objects.get(name);
    if (!object) return undefined;
    this.objects.delete(name);
    this.#changes.push(() => {
      this.cached.delete(name);
      this.fresh.sawDeleted(object);
    });
    return object;
  }

  tell(count: number): void {
    for (const change of this.#changes.splice(0, count)) change();
  }
}

/** Returns whether we deleted the object. */
function play(server: LateServer, { name, what, told }: Step): boolean {
  if (what === 'we write') server.fresh.wrote(server.write(name));
  if (what === 'they write') server.write(name);
  // We only delete an object that we have seen, and not another one of the same name.
  const seen = server.fresh.get({ namespace: 'n', name });
  const isSeen = seen !== undefined && seen.metadata.uid === server.objects.get(name)?.metadata.uid;
  if (what === 'they delete' || (what === 'we delete' && isSeen)) server.delete(name);
  if (what === 'we delete' && isSeen) server.fresh.deleted(seen);
  server.tell(told);
  return what === 'we delete' && isSeen;
}

describe('a cache with what we wrote', () => {
  it('does not show an object of the same name that was gone before the one we deleted', () => {
    const server = new LateServer();
    const step = (what: Step['what'], told = 0): Step => ({ name: 'a', what, told });
    for (const each of [step('we write'), step('they delete'), step('we write', 1), step('we delete')])
      play(server, each);
    const key = { namespace: 'n', name: 'a' };
    assert.equal(server.fresh.get(key), undefined);
    server.tell(Infinity);
    assert.equal(server.fresh.get(key), undefined);
  });

  it('never shows what was before our own last write, and in the end what there is', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
        const server = new LateServer();
        for (const each of steps) {
          const deleted = play(server, each);
          const key = { namespace: 'n', name: each.name };
          if (each.what === 'we write') {
            assert.deepEqual(server.fresh.get(key), server.objects.get(each.name));
            assert.ok(server.fresh.list('n').some(({ metadata }) => metadata.name === each.name));
          }
          if (deleted) assert.equal(server.fresh.get(key), undefined);
        }
        server.tell(Infinity);
        for (const name of ['a', 'b'])
          assert.deepEqual(server.fresh.get({ namespace: 'n', name }), server.objects.get(name));
      }),
    );
  });
});
