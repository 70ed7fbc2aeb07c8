import { leaksInDatabase } from '#testing/leaks';
import { addCaller, ask, made, STAFF } from '../access/callers.ts';
import { withStorage } from '../access/stored.ts';
import { type Attack, heldOff, type Stage, succeeded } from './attack.ts';

const CANARY = 'canary-in-a-template-4714';
const DEPLOYMENTS = '/v1/workspaces/shop/deployments';
const text = (kind: string) => `apiVersion: v1
kind: ConfigMap
metadata: {name: open}
data: {mode: plain}
---
apiVersion: v1
kind: ${kind}
metadata: {name: db}
stringData: {password: ${CANARY}}
`;

/** A viewer reads what a deployer wrote, and so does a thief of the database. */
export const readTemplateSecrets: Attack = {
  finding: 14,
  name: 'a viewer, or a thief of the database, reads the Secrets in the text of a template',
  run: async (stage: Stage) => {
    const platform = await stage.home.start();
    await made(platform, '/v1/workspaces', { name: 'shop' });
    await made(platform, '/v1/workspaces', { name: STAFF });
    const viewer = await addCaller(platform, { name: 'eve', given: [{ role: 'viewer', on: 'workspaces/shop' }] });
    const values = { kind: 'Secret' };
    for (const [name, template] of Object.entries({ plain: text('Secret'), later: text('${values.kind}') })) {
      const manifest = { type: 'template', template, values };
      const body = { name, manifest, placement: [{ type: 'all' }] };
      const answer = await platform.request(DEPLOYMENTS, { method: 'POST', body });
      // The platform may also refuse a literal.
      if (answer.status !== 201 && answer.status !== 400) throw new Error(`${answer.status} ${await answer.text()}`);
    }
    const answer = await ask(platform, viewer.token, DEPLOYMENTS);
    const listed = await answer.text();
    if (answer.status !== 200) throw new Error(`list: ${answer.status} ${listed}`);
    const { code } = await platform.stop();
    if (code !== 0) throw new Error(`the platform ended with ${code}`);
    const stored = await withStorage(stage.home, (storage) =>
      leaksInDatabase(storage, { canary: CANARY }, stage.signal),
    );
    const seen = [...(listed.includes(CANARY) ? ['the list'] : []), ...new Set(stored.map(({ where }) => where))];
    return seen.length > 0 ? succeeded(`it stands in ${seen.join(', ')}`) : heldOff('neither shows it');
  },
};
