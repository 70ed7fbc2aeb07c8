import assert from 'node:assert/strict';
import { type Attack, heldOff, succeeded } from './attack.ts';

const COSTLY = {
  'a regular expression that backtracks': 'object.data.x.matches("^(a+)+$")',
  'loops inside loops':
    'object.data.all(a, object.data.all(b, object.data.all(c, object.data.all(d, a + b + c != d))))',
};

/**
 * Covers what the platform accepts. `kit/cel/bounded-cel.test.ts` tests how such a rule runs; for a proxied cluster it
 * runs on the platform itself.
 */
export const costlyHealthRule: Attack = {
  finding: 6,
  name: 'a deployer stores a health rule that runs for hours in the process that reports health',
  run: async ({ home }) => {
    const platform = await home.start();
    const create = (name: string, healthy: string): Promise<Response> =>
      platform.request('/v1/workspaces/root/deployments', {
        method: 'POST',
        body: {
          name,
          manifest: {
            type: 'inline',
            documents: [
              {
                apiVersion: 'v1',
                kind: 'ConfigMap',
                metadata: { name: 'a', namespace: 'b' },
                data: { x: `${'a'.repeat(60)}!` },
              },
            ],
          },
          placement: [{ type: 'selector', matchLabels: { a: 'b' } }],
          healthRules: [{ kind: 'ConfigMap', healthy }],
        },
      });
    const plain = await create('plain', 'object.data.x.startsWith("a")');
    assert.equal(plain.status, 201, await plain.text());
    const taken: string[] = [];
    for (const [at, [what, rule]] of Object.entries(COSTLY).entries()) {
      const answer = await create(`costly-${at}`, rule);
      const text = await answer.text();
      if (answer.status === 201) taken.push(what);
      else assert.match(text, /healthRules/, 'it is the rule that is refused');
    }
    return taken.length > 0
      ? succeeded(`a rule with ${taken.join(', and one with ')} was stored`)
      : heldOff('both rules were refused, and a plain one was stored');
  },
};
