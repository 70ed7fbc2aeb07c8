import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decide, type Lease, NOTHING_SEEN, observe, type Pace, type Standing, type Watch } from './decide.ts';

const PACE: Pace = { leaseMs: 3_000, claimDelayMs: 100, yieldEveryMs: 3_000 };
const ROLES = ['executor', 'pool/0', 'pool/1', 'pool/2', 'pool/3', 'pool/4', 'pool/5', 'pool/6'];
const STANDS_FOR = ['executor', 'pool'];

interface Peer {
  readonly id: string;
  beat: number;
  watch: Watch;
  isUp: boolean;
  lastBeatAt: number;
  lastYield: number;
  readonly leftUntil: Map<string, number>;
  readonly skew: number;
}

/** Processes on one database, one turn at a time; a turn is as atomic as its statements are. */
class Cluster {
  now = 0;
  readonly peers: Peer[];
  readonly leases = new Map<string, Lease>();
  readonly claims: { readonly by: string; readonly role: string; readonly from: string | undefined }[] = [];

  constructor(skews: readonly number[]) {
    this.peers = skews.map((skew, nth) => ({
      id: `p${nth}`,
      beat: 0,
      watch: NOTHING_SEEN,
      isUp: true,
      lastBeatAt: Number.NEGATIVE_INFINITY,
      lastYield: Number.NEGATIVE_INFINITY,
      leftUntil: new Map(),
      skew,
    }));
  }

  pass(ms: number): void {
    this.now += ms;
    for (const peer of this.peers) if (peer.isUp) this.#turn(peer);
  }

  held(id: string, group = ''): string[] {
    return [...this.leases.values()]
      .filter((each) => each.holder === id && each.role.startsWith(group))
      .map((each) => each.role);
  }

  #turn(peer: Peer): void {
    const now = this.now + peer.skew;
    if (now - peer.lastBeatAt >= 1_000) {
      peer.beat += 1;
      peer.lastBeatAt = now;
    }
    const holders = this.peers
      .filter(({ beat }) => beat > 0)
      .map(({ id, beat }) => ({ id, beat, standsFor: STANDS_FOR }));
    const seen = { leases: [...this.leases.values()], holders };
    peer.watch = observe(peer.watch, seen, { me: peer.id, now, leaseMs: PACE.leaseMs, roles: ROLES });
    const standing = new Map(
      ROLES.map((role): [string, Standing] => {
        return [role, this.leases.get(role)?.holder === peer.id ? 'leading' : 'idle'];
      }),
    );
    const { lastYield, leftUntil, watch } = peer;
    const decision = decide({ me: peer.id, now, seen, watch, standing, lastYield, leftUntil, pace: PACE });
    assert.deepEqual(decision.release, []);
    for (const { role, seen: lease } of decision.claim) {
      this.claims.push({ by: peer.id, role, from: lease?.holder });
      this.leases.set(role, { role, epoch: (lease?.epoch ?? 0) + 1, holder: peer.id });
    }
    const left = decision.yield;
    if (left === undefined) return;
    peer.lastYield = now;
    leftUntil.set(left, now + 2 * PACE.leaseMs);
    const lease = this.leases.get(left);
    if (lease !== undefined) this.leases.set(left, { ...lease, holder: undefined });
  }
}

const skews = fc.array(fc.integer({ min: -1e9, max: 1e9 }), { minLength: 1, maxLength: 4 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('pass' as const), ms: fc.integer({ min: 50, max: 600 }) }),
    fc.record({ kind: fc.constant('freeze' as const), peer: fc.nat(3) }),
    fc.record({ kind: fc.constant('thaw' as const), peer: fc.nat(3) }),
  ),
  { maxLength: 80 },
);

function play(cluster: Cluster, all: readonly { kind: string; ms?: number; peer?: number }[]): void {
  for (const step of all) {
    if (step.kind === 'pass') cluster.pass(step.ms ?? 0);
    const peer = cluster.peers[(step.peer ?? 0) % cluster.peers.length];
    if (peer !== undefined && step.kind !== 'pass') peer.isUp = step.kind === 'thaw';
  }
}

describe('who claims what', () => {
  it('a role is never claimed from a process that lives, however clocks differ', () => {
    const regular = fc.array(fc.integer({ min: 50, max: 600 }), { maxLength: 80 });
    fc.assert(
      fc.property(skews, regular, (all, times) => {
        const cluster = new Cluster(all);
        for (const ms of times) cluster.pass(ms);
        for (const { by, role, from } of cluster.claims) assert.equal(from, undefined, `${by} took ${role}`);
      }),
    );
  });

  it('after whatever happened, once all that are up stay up, every role has one of them, evenly', () => {
    fc.assert(
      fc.property(skews, steps, (all, before) => {
        const cluster = new Cluster(all);
        play(cluster, before);
        const [first] = cluster.peers;
        if (first !== undefined) first.isUp = true;
        for (let nth = 0; nth < 200; nth++) cluster.pass(500);
        const up = cluster.peers.filter(({ isUp }) => isUp).map(({ id }) => id);
        for (const role of ROLES) assert.ok(up.includes(cluster.leases.get(role)?.holder ?? ''), `${role} is led`);
        const counts = up.map((id) => cluster.held(id, 'pool/').length);
        assert.ok(Math.max(...counts) - Math.min(...counts) <= 1, counts.join());
        const claims = cluster.claims.length;
        for (let nth = 0; nth < 50; nth++) cluster.pass(500);
        assert.equal(cluster.claims.length, claims, 'then nothing moves any more');
      }),
    );
  });

  it('an epoch only grows', () => {
    fc.assert(
      fc.property(skews, steps, (all, before) => {
        const cluster = new Cluster(all);
        const epochs = new Map<string, number>();
        for (const step of before) {
          play(cluster, [step]);
          for (const { role, epoch } of cluster.leases.values()) {
            assert.ok(epoch >= (epochs.get(role) ?? 0));
            epochs.set(role, epoch);
          }
        }
      }),
    );
  });

  it('a process alone claims everything in its first turn', () => {
    const cluster = new Cluster([0]);
    cluster.pass(0);
    assert.equal(cluster.held('p0').length, ROLES.length);
  });

  it('what it no longer stands for, it releases', () => {
    const seen = { leases: [{ role: 'executor', epoch: 3, holder: 'me' }], holders: [] };
    const situation = {
      me: 'me',
      now: 0,
      seen,
      watch: NOTHING_SEEN,
      standing: new Map(),
      lastYield: 0,
      leftUntil: new Map(),
      pace: PACE,
    };
    assert.deepEqual(decide(situation), { claim: [], release: ['executor'], yield: undefined, againInMs: undefined });
  });

  it('a process that was stopped takes nothing from those that it has not looked at since', () => {
    const leases = [{ role: 'executor', epoch: 1, holder: 'other' }];
    const look = (watch: Watch, beat: number, now: number): Watch => {
      const holders = [{ id: 'other', beat, standsFor: [] }];
      return observe(watch, { leases, holders }, { me: 'me', now, leaseMs: 3_000, roles: ['executor'] });
    };
    const before = look(NOTHING_SEEN, 1, 0);
    assert.equal(look(before, 9, 100_000).freeSince.size, 0, 'its heart has beaten meanwhile');
    assert.equal(look(before, 1, 100_000).freeSince.size, 1, 'it has not');
  });
});
