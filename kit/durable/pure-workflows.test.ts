import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Payload } from '#kit/durable';
import { assertPureWorkflow, type PureWorkflow } from './testing/assert-pure-workflow.ts';
import * as killWorkflows from './testing/kill/kill-workflows.ts';
import { SETS } from './testing/registries.ts';

const IMPURE = new URL('./testing/impure/impure-workflows.ts', import.meta.url);
const KILL = new URL('./testing/kill/kill-workflows.ts', import.meta.url);

type Case = Omit<PureWorkflow, 'module' | 'workflow'>;

const key = 'key';
const three = { item: [1, 2, 3] };
const kept = { activities: { 'kill-work': (work: Payload) => ({ ...(work as object), token: 'token' }) } };

/** Every workflow of the suites, with the answers it needs to complete. */
const CASES: Readonly<Record<string, Case>> = {
  alarms: { input: { times: [3, 1, 2] } },
  cancellable: { input: { on: 'timer', key, keeps: true }, cancelled: true },
  careless: { input: { key } },
  chance: { input: { key }, signals: { go: [null] } },
  chapters: { input: { left: 1, read: [], key }, signals: three },
  collector: { input: { count: 3, key }, signals: three },
  dynasty: { input: { children: ['a', 'b'] } },
  echo: { input: { key, value: { a: 1 } } },
  ending: { input: { key, as: 'plain error' } },
  everything: { input: { key }, signals: { go: [1], never: [2] } },
  fan: { input: { keys: ['a', 'b', 'c'], concurrency: 2 } },
  greedy: { input: { timers: 5 }, signals: { enough: [1] } },
  hauler: { input: { key, bytes: 10, as: 'input' } },
  impatient: { input: { timeoutMs: 5, key }, signals: three },
  mumbler: { input: { key } },
  parent: { input: { child: 'child', keys: ['a'], after: 'b' } },
  'parent-of-failing': { input: { child: 'child' }, children: { ending: () => assert.fail('as told') } },
  rivals: { input: null, signals: three },
  shielded: { input: { key }, cancelled: true },
  sleeper: { input: { ms: 5, key } },
  sorter: { input: { key }, signals: { first: [1], second: [2] } },
  steps: { input: { keys: ['a', 'b'] } },
  talkative: { input: { key, most: 500 }, continueAsNewDue: true },
  'try-work': { input: { kind: 'plain', key }, activities: { work: () => assert.fail('as told') } },
  bystander: { input: { key }, signals: { go: [1] } },
  'other-activity': { input: { key }, signals: { go: [1] } },
  'of-another': { input: { of: key } },
  'other-child': { input: { key }, signals: { go: [1] } },
  'other-duration': { input: { key }, signals: { go: [1] } },
  'other-input': { input: { key }, signals: { go: [1] } },
  'other-kind': { input: { key }, signals: { go: [1] } },
  'other-order': { input: { key }, signals: { go: [1] } },
  removed: { input: { key }, signals: { go: [1] } },
  skewed: { input: { key }, signals: { go: [1] } },
  'skewed-later': { input: { key }, signals: { go: [1] } },
  sleeping: { input: { key } },
  'step-removed': { input: { key }, signals: { go: [1] } },
  'kill-chain': { ...kept, input: { steps: [{ do: 'draw' }, { do: 'sleep', ms: 1 }], fails: false } },
  'kill-chapters': { ...kept, input: { next: 1, last: 1, read: [] }, signals: three },
  'kill-family': { input: { children: [{ id: 'a', chain: { steps: [], fails: false } }] } },
  'kill-fan': { ...kept, input: { items: [1, 2, 3], concurrency: 2 } },
  'kill-mail': { ...kept, input: { count: 3 }, signals: three },
};

const SINS = [
  { workflow: 'reads-the-clock', what: /Date\.now/ },
  { workflow: 'makes-a-date', what: /new Date\(\)/ },
  { workflow: 'rolls-dice', what: /Math\.random/ },
  { workflow: 'reads-the-environment', what: /process/ },
  { workflow: 'waits-by-itself', what: /setTimeout/ },
  { workflow: 'goes-out', what: /fetch/ },
  { workflow: 'uses-node', what: /of node:crypto/ },
  { workflow: 'hides-it', what: /performance/ },
  { workflow: 'remembers', what: /does not do the same/ },
] as const;

describe('a workflow is pure', () => {
  const modules = [
    ...Object.entries(SETS).map(([set, { module, workflows }]) => ({
      set,
      module,
      names: workflows.map(({ name }) => name),
    })),
    {
      set: 'kill',
      module: KILL,
      names: Object.values(killWorkflows).flatMap((each) => (each.kind === 'workflow' ? [each.name] : [])),
    },
  ];

  for (const { set, module, names } of modules) {
    for (const workflow of names) {
      it(`${workflow} of ${set}`, async () => {
        const subject = CASES[workflow];
        assert.ok(subject, `${workflow} has no case in this table`);
        await assertPureWorkflow({ ...subject, module, workflow });
      });
    }
  }

  it('one that is, with dates made of ctx', async () => {
    assert.deepEqual(await assertPureWorkflow({ module: IMPURE, workflow: 'is-pure', input: null }), {
      kind: 'returned',
      value: ['2030-01-01T00:00:00.010Z', 0.618, '00000000-0000-4000-8000-000000000002'],
    });
  });

  for (const { workflow, what } of SINS) {
    it(`and not when it ${workflow.replaceAll('-', ' ')}`, async () => {
      await assert.rejects(assertPureWorkflow({ module: IMPURE, workflow, input: null }), what);
    });
  }

  it('and not when its module imports Node', async () => {
    const module = new URL('./testing/impure/imports-node.ts', import.meta.url);
    await assert.rejects(assertPureWorkflow({ module, workflow: 'reads-a-file', input: null }), /imports node:fs/);
  });
});
