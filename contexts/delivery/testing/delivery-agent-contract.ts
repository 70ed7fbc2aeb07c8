import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { Uuid } from '#kit/std';
import type { DeliverOrder, DeliveryReport, Document, OrderOrigin, RemoveOrder } from '#protocol/delivery';
import type { TargetRef } from '#protocol/targets';
import { PATIENCE_MS } from '#testing/patience';
import type { DeliveryAgent } from '../application/ports.ts';
import { uidOf } from './an-order.ts';
import type { RecordingReports } from './recording-reports.ts';

/** An agent that serves one connected target with nothing on it. */
export interface OpenedAgent {
  readonly agent: DeliveryAgent;
  readonly target: TargetRef;
  /** Receives its reports. */
  readonly reports: RecordingReports;
  /** Two different contents that it accepts. */
  readonly contents: readonly [readonly Document[], readonly Document[]];
  /** Cuts the connection and restores it. */
  reconnect(): Promise<void>;
  close(): Promise<void>;
}

export interface ContractOptions {
  readonly open: (signal: AbortSignal) => Promise<OpenedAgent>;
  /** Tests that do not apply to this agent, and why. */
  readonly skip?: readonly { readonly test: ContractTest; readonly reason: string }[];
}

type ContractTest = keyof typeof TESTS;

/** The contract of every `DeliveryAgent`, whatever it delivers to. */
export function deliveryAgentContract(name: string, { open, skip = [] }: ContractOptions): void {
  describe(`delivery agent: ${name}`, () => {
    for (const [title, run] of Object.entries(TESTS)) {
      const skipped = skip.find(({ test }) => test === title);
      it(title, { ...(skipped && { skip: skipped.reason }), timeout: PATIENCE_MS }, async (t: TestContext) => {
        const opened = await open(t.signal);
        try {
          await run(new Talk(opened, t.signal));
        } finally {
          await opened.close();
        }
      });
    }
  });
}

const TESTS = {
  'accepts an order, and says when it is applied': async (talk) => {
    assert.deepEqual(await talk.deliver({ revision: 3 }), { kind: 'accepted' });
    const applied = await talk.reported('applied', 3);
    assert.equal(applied.hash, 'sha256:0');
  },

  'says how healthy it is, with the revision that it speaks of': async (talk) => {
    await talk.deliver({ revision: 3 });
    await talk.isAvailable(3);
  },

  'takes a later revision': async (talk) => {
    await talk.delivered({ revision: 3 });
    assert.deepEqual(await talk.deliver({ revision: 4, content: 1 }), { kind: 'accepted' });
    const applied = await talk.reported('applied', 4);
    assert.equal(applied.hash, 'sha256:1');
    assert.deepEqual(await talk.holdings(), [{ revision: 4, hash: 'sha256:1' }]);
  },

  'takes the same content under a later revision': async (talk) => {
    await talk.delivered({ revision: 3 });
    assert.deepEqual(await talk.deliver({ revision: 4 }), { kind: 'accepted' });
    await talk.reported('applied', 4);
    await talk.reported('health', 4);
  },

  'takes no order of an earlier incarnation of the platform than it has obeyed': async (talk) => {
    const [first, restored] = [0, 1].map((restores) => ({ instance: 'i', incarnation: `n${restores}`, restores }));
    await talk.delivered({ revision: 3, origin: first });
    await talk.delivered({ revision: 4, content: 1, origin: restored });
    const answer = await talk.deliver({ revision: 5, origin: first });
    assert.equal(answer.kind, 'rejected');
    assert.match(answer.kind === 'rejected' ? answer.message : '', /obeys incarnation n1 .* Incarnation n0 asks/);
    assert.deepEqual(await talk.holdings(), [{ revision: 4, hash: 'sha256:1' }]);
    await talk.delivered({ revision: 5, origin: restored });
  },

  'never goes back behind a revision that it has seen': async (talk) => {
    await talk.delivered({ revision: 3 });
    assert.deepEqual(await talk.deliver({ revision: 2, content: 1 }), { kind: 'fenced', seen: 3 });
    assert.deepEqual(await talk.remove(2), { kind: 'fenced', seen: 3 });
    assert.deepEqual(await talk.holdings(), [{ revision: 3, hash: 'sha256:0' }]);
  },

  'acknowledges the same order again, and tells again what became of it': async (talk) => {
    await talk.delivered({ revision: 3 });
    talk.opened.reports.clear();
    assert.deepEqual(await talk.deliver({ revision: 3 }), { kind: 'accepted' });
    await talk.reported('applied', 3);
    await talk.reported('health', 3);
  },

  'takes the same order twice at once, and applies it': async (talk) => {
    const [first, second] = await Promise.all([talk.deliver({ revision: 3 }), talk.deliver({ revision: 3 })]);
    assert.deepEqual([first, second], [{ kind: 'accepted' }, { kind: 'accepted' }]);
    await talk.reported('applied', 3);
    assert.deepEqual(await talk.holdings(), [{ revision: 3, hash: 'sha256:0' }]);
  },

  'removes, and says when it is gone': async (talk) => {
    await talk.delivered({ revision: 3 });
    assert.deepEqual(await talk.remove(4), { kind: 'accepted' });
    await talk.reported('removed', 4);
    assert.deepEqual(await talk.holdings(), []);
  },

  'removes what is not there, and what was removed already': async (talk) => {
    assert.deepEqual(await talk.remove(4), { kind: 'accepted' });
    await talk.reported('removed', 4);
    talk.opened.reports.clear();
    assert.deepEqual(await talk.remove(4), { kind: 'accepted' });
    await talk.reported('removed', 4);
  },

  'does not bring back what a later revision removed': async (talk) => {
    await talk.delivered({ revision: 3 });
    await talk.remove(4);
    await talk.reported('removed', 4);
    assert.deepEqual(await talk.deliver({ revision: 3 }), { kind: 'fenced', seen: 4 });
    assert.deepEqual(await talk.holdings(), []);
  },

  'delivers again what was removed under the same revision': async (talk) => {
    await talk.remove(4);
    await talk.reported('removed', 4);
    assert.deepEqual(await talk.deliver({ revision: 4 }), { kind: 'accepted' });
    await talk.reported('applied', 4);
  },

  'keeps deployments apart': async (talk) => {
    await talk.delivered({ revision: 3 });
    assert.deepEqual(await talk.deliver({ revision: 1, content: 1, deployment: OTHER }), { kind: 'accepted' });
    await talk.reported('applied', 1, OTHER);
    await talk.remove(4);
    await talk.reported('removed', 4);
    assert.deepEqual(await talk.holdings(), [{ revision: 1, hash: 'sha256:1' }]);
  },

  'says after a reconnect what it has, before anything else': async (talk) => {
    await talk.delivered({ revision: 3 });
    talk.opened.reports.clear();
    await talk.opened.reconnect();
    const inventory = await talk.inventory();
    assert.equal(inventory.target, talk.opened.target.id);
    const holdings = inventory.holdings.map(({ deployment, revision, hash }) => ({ deployment, revision, hash }));
    assert.deepEqual(holdings, [{ deployment: DEPLOYMENT, revision: 3, hash: 'sha256:0' }]);
    const kinds = talk.opened.reports.all().map(({ kind }) => kind);
    assert.deepEqual(kinds.slice(0, 3), ['connection', 'connection', 'inventory']);
  },

  'is the same installation after a reconnect': async (talk) => {
    await talk.opened.reconnect();
    const { instance } = await talk.inventory();
    talk.opened.reports.clear();
    await talk.opened.reconnect();
    assert.equal((await talk.inventory()).instance, instance);
  },

  'previews without doing': async (talk) => {
    const preview = await talk.opened.agent.preview(talk.order({ revision: 3 }), talk.signal);
    // An agent that cannot tell returns undefined.
    if (preview !== undefined) assert.equal(preview.kind, 'wouldApply');
    assert.deepEqual(await talk.holdings(), []);
    assert.deepEqual(await talk.deliver({ revision: 2 }), { kind: 'accepted' }, 'and has seen nothing');
  },

  'previews no change of what is there': async (talk) => {
    await talk.delivered({ revision: 3 });
    const preview = await talk.opened.agent.preview(talk.order({ revision: 4 }), talk.signal);
    if (preview !== undefined) assert.deepEqual([preview.kind, preview.changes], ['wouldApply', []]);
  },

  'is told to cancel what is under way, done or unknown': async (talk) => {
    const key = { target: talk.opened.target, deployment: DEPLOYMENT, revision: 3 };
    await talk.opened.agent.cancel(key, talk.signal);
    await talk.deliver({ revision: 3 });
    await talk.opened.agent.cancel(key, talk.signal);
    assert.deepEqual(await talk.deliver({ revision: 3 }), { kind: 'accepted' }, 'and takes it when it is asked again');
    await talk.reported('applied', 3);
    await talk.opened.agent.cancel(key, talk.signal);
    assert.deepEqual(await talk.holdings(), [{ revision: 3, hash: 'sha256:0' }]);
  },

  'does not begin when it was told to stop': async (talk) => {
    const { agent } = talk.opened;
    const order = talk.order({ revision: 3 });
    await assert.rejects(agent.dispatch(order, AbortSignal.abort()), { name: 'AbortError' });
    await assert.rejects(agent.preview(order, AbortSignal.abort()), { name: 'AbortError' });
    await assert.rejects(agent.cancel(order, AbortSignal.abort()), { name: 'AbortError' });
    assert.deepEqual(await talk.deliver({ revision: 2 }), { kind: 'accepted' });
  },
} as const satisfies Record<string, (talk: Talk) => Promise<void>>;

/** The deployments of the orders, for an agent that has to know them in advance. */
export const CONTRACT_DEPLOYMENTS = [uidOf(0xd1), uidOf(0xd2)] as const;
const [DEPLOYMENT, OTHER] = CONTRACT_DEPLOYMENTS;

interface Asked {
  readonly origin?: OrderOrigin | undefined;
  readonly revision: number;
  readonly content?: 0 | 1;
  readonly deployment?: Uuid;
}

/** A conversation between a test and the agent. */
class Talk {
  readonly opened: OpenedAgent;
  readonly signal: AbortSignal;

  constructor(opened: OpenedAgent, signal: AbortSignal) {
    this.opened = opened;
    this.signal = signal;
  }

  order({ revision, content = 0, deployment = DEPLOYMENT, origin }: Asked): DeliverOrder {
    const { target, contents } = this.opened;
    const documents = contents[content];
    const rules = { healthRules: [], driftPolicy: 'report', secretPlaces: [] } as const;
    return { kind: 'deliver', target, deployment, revision, origin, hash: `sha256:${content}`, documents, ...rules };
  }

  async deliver(asked: Asked) {
    return await this.opened.agent.dispatch(this.order(asked), this.signal);
  }

  /** Delivers, and waits for all reports. */
  async delivered(asked: Asked): Promise<void> {
    assert.deepEqual(await this.deliver(asked), { kind: 'accepted' });
    await this.reported('applied', asked.revision);
    await this.reported('health', asked.revision);
  }

  async remove(revision: number) {
    const order: RemoveOrder = { kind: 'remove', target: this.opened.target, deployment: DEPLOYMENT, revision };
    return await this.opened.agent.dispatch(order, this.signal);
  }

  async reported<K extends DeliveryReport['kind']>(
    kind: K,
    revision: number,
    deployment: Uuid = DEPLOYMENT,
  ): Promise<Extract<DeliveryReport, { kind: K }>> {
    const { id } = this.opened.target;
    const found = await this.opened.reports.until(
      (each) =>
        each.kind === kind && each.target === id && each.deployment === deployment && each.revision === revision,
      this.signal,
    );
    return found as Extract<DeliveryReport, { kind: K }>;
  }

  /** The agent may have reported other states before. */
  async isAvailable(revision: number): Promise<void> {
    await this.opened.reports.until(
      (each) => each.kind === 'health' && each.revision === revision && each.health === 'Available',
      this.signal,
    );
  }

  async inventory() {
    const found = await this.opened.reports.until(({ kind }) => kind === 'inventory', this.signal);
    assert.ok(found.kind === 'inventory');
    return found;
  }

  /** The holdings that the target reports itself. */
  async holdings(): Promise<{ revision: number; hash: string }[]> {
    this.opened.reports.clear();
    await this.opened.reconnect();
    const { holdings } = await this.inventory();
    return holdings.map(({ revision, hash }) => ({ revision, hash }));
  }
}
