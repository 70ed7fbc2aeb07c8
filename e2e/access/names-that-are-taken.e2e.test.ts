import assert from 'node:assert/strict';
import { it } from 'node:test';
import { homeFor } from '../home-for.ts';
import { addCaller, ask, made, STAFF } from './callers.ts';

/**
 * DECISION: workspace names, target names and Domain slugs are unique in the instance. A create with a taken name must
 * therefore be refused, which reveals to the caller that the name exists. It reveals nothing else.
 */
it('a name that is taken is refused in the same words, whoever has it', async (t) => {
  const home = await homeFor(t);
  const platform = await home.start();
  for (const name of [STAFF, 'own', 'foreign']) await made(platform, '/v1/workspaces', { name });
  for (const name of ['own', 'foreign']) {
    await made(platform, '/v1/workspaces', {
      name: `${name}-domain`,
      kind: 'domain',
      slug: `${name}-slug`,
      parent: name,
    });
    await made(platform, '/v1/targets', { name: `${name}-target`, type: 'directory', workspace: name });
  }
  const { token } = await addCaller(platform, { name: 'robot', given: [{ role: 'admin', on: 'workspaces/own' }] });
  for (const { path, body } of [
    { path: '/v1/workspaces', body: (name: string) => ({ name: `${name}-domain`, parent: 'own' }) },
    { path: '/v1/targets', body: (name: string) => ({ name: `${name}-target`, type: 'directory', workspace: 'own' }) },
    {
      path: '/v1/workspaces',
      body: (name: string) => ({ name: 'brand-new', kind: 'domain', slug: `${name}-slug`, parent: 'own' }),
    },
  ]) {
    const refusal = async (name: string): Promise<string> => {
      const answer = await ask(platform, token, path, { method: 'POST', body: body(name) });
      assert.equal(answer.status, 409, await answer.clone().text());
      return (await answer.text()).replaceAll(name, 'NAME').replace(/"requestId":"[^"]+"/, '');
    };
    assert.equal(await refusal('own'), await refusal('foreign'));
  }
});
