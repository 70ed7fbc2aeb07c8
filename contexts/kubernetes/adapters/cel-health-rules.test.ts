import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { HealthRule } from '#protocol/delivery';
import { judgeHealth } from '../domain/health/judge-health.ts';
import { conditions, live } from '../testing/live-object.ts';
import { celHealthRules } from './cel-health-rules.ts';

const evaluate = celHealthRules();

function judged(rules: readonly HealthRule[], fields: object) {
  const { state, reason, message } = judgeHealth(
    { object: live('example.io/v1/Gadget', { ...fields }), pods: [], events: [] },
    { rules, evaluate },
  );
  return { health: `${state} ${reason}`, message };
}

const SYNCED: HealthRule = { kind: 'Gadget', healthy: 'object.status.phase == "Synced"' };

describe('health rules in CEL', () => {
  const ROWS: readonly { why: string; rules: readonly HealthRule[]; fields: object; want: string }[] = [
    {
      why: 'one that is kept speaks for an object that nobody else speaks for',
      rules: [SYNCED],
      fields: { status: { phase: 'Synced' } },
      want: 'Available ',
    },
    {
      why: 'one that is not kept',
      rules: [SYNCED],
      fields: { status: { phase: 'Waiting' } },
      want: 'Progressing HealthRule',
    },
    { why: 'one about what is not there yet', rules: [SYNCED], fields: {}, want: 'Unknown HealthRule' },
    {
      why: 'one that is no condition',
      rules: [{ kind: 'Gadget', healthy: '"a"' }],
      fields: {},
      want: 'Unknown HealthRule',
    },
    {
      why: 'one that is no CEL',
      rules: [{ kind: 'Gadget', healthy: '&&' }],
      fields: {},
      want: 'Unknown HealthRule',
    },
    {
      why: 'all have to be kept',
      rules: [SYNCED, { kind: 'Gadget', healthy: 'object.metadata.generation > 2' }],
      fields: { status: { phase: 'Synced' } },
      want: 'Progressing HealthRule',
    },
    { why: 'none of another kind', rules: [{ ...SYNCED, kind: 'Widget' }], fields: {}, want: 'Applied NoStatus' },
    {
      why: 'none of another group',
      rules: [{ ...SYNCED, apiGroup: 'other.io' }],
      fields: {},
      want: 'Applied NoStatus',
    },
    { why: 'of its group', rules: [{ ...SYNCED, apiGroup: 'example.io' }], fields: {}, want: 'Unknown HealthRule' },
    {
      why: 'none makes well what its kind says is bad',
      rules: [{ kind: 'Gadget', healthy: 'true' }],
      fields: { status: { conditions: conditions('Stalled=True Broken') } },
      want: 'Degraded Broken',
    },
  ];
  for (const { why, rules, fields, want } of ROWS) it(why, () => assert.equal(judged(rules, fields).health, want));

  it('say which of them, and why', () => {
    assert.match(
      judged([SYNCED], {}).message,
      /^health rule object\.status\.phase == "Synced" has no result: .*status/,
    );
  });

  it('cannot take forever to read', () => {
    const endless = Array.from({ length: 400 }, () => 'true').join(' && ');
    assert.match(judged([{ kind: 'Gadget', healthy: endless }], {}).message, /has no result/);
  });

  for (const { why, healthy, says } of [
    {
      why: 'a regular expression',
      healthy: 'object.data.x.matches("^(a+)+$")',
      says: /matches\(\) cannot be used: use ==/,
    },
    {
      why: 'loops inside loops',
      healthy: 'object.a.all(x, object.a.all(y, object.a.all(z, x == y)))',
      says: /it costs too much/,
    },
  ]) {
    it(`have no answer where they were stored before they were refused: ${why}`, () => {
      const { health, message } = judged([{ kind: 'Gadget', healthy }], { data: { x: `${'a'.repeat(40)}!` } });
      assert.equal(health, 'Unknown HealthRule');
      assert.match(message, /^health rule .* has no result: /);
      assert.match(message, says);
    });
  }

  it('have no answer once those of one turn of the event loop took too long, and one in the next turn', async () => {
    let now = 0;
    const slowly = celHealthRules(() => (now += 100));
    const object = live('example.io/v1/Gadget', {});
    const answers = Array.from({ length: 5 }, () => slowly('true', object));
    assert.deepEqual(
      answers.map((answer) => typeof answer),
      ['boolean', 'boolean', 'boolean', 'string', 'string'],
    );
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    assert.equal(slowly('true', object), true);
  });
});
