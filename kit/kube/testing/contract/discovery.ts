import assert from 'node:assert/strict';
import { CORE } from '../../client/core-resources.ts';
import { waitFor } from '../wait-for.ts';
import { customKind, type Stage } from './stage.ts';

export function discoveryContract(stage: Stage): void {
  stage.it('finds kinds by apiVersion and kind', async (signal) => {
    const find = (apiVersion: string, kind: string) => stage.client.discovery.resourceFor(apiVersion, kind, signal);
    assert.deepEqual(await find('v1', 'ConfigMap'), CORE.configMaps);
    assert.deepEqual(await find('apps/v1', 'Deployment'), CORE.deployments);
    assert.deepEqual(await find('v1', 'Namespace'), CORE.namespaces);
    await assert.rejects(find('example.com/v1', 'Nothing'), { code: 'KIND_NOT_SERVED' });
  });

  stage.it('finds a kind that came later', async (signal) => {
    const resource = customKind();
    const find = () => stage.client.discovery.resourceFor('contract.example.com/v1', resource.kind, signal);
    await assert.rejects(find(), { code: 'KIND_NOT_SERVED' });
    await stage.server.serve(resource);
    // A miss asks the server at most once a second.
    await waitFor(async () => assert.deepEqual(await find(), resource), signal);
  });

  stage.it('has every kind that we name in code as the server has it', async (signal) => {
    const served = await stage.client.discovery.resources(signal);
    for (const resource of Object.values(CORE)) {
      const { group, plural } = resource;
      assert.deepEqual(
        served.find((one) => one.group === group && one.plural === plural),
        resource,
      );
    }
    assert.ok(!served.some(({ plural }) => plural.includes('/')), 'subresources are no kinds');
  });

  stage.it('reads schemas', async (signal) => {
    const document = await stage.client.discovery.openapi('v1', signal);
    assert.ok('openapi' in document);
    assert.equal(await stage.client.discovery.openapi('v1', signal), document, 'the same one while it is unchanged');
    await assert.rejects(stage.client.discovery.openapi('example.com/v1', signal), { code: 'KIND_NOT_SERVED' });
  });

  stage.it('answers to whatever else is asked', async (signal) => {
    const version = await stage.client.request<{ gitVersion: string }>({ method: 'GET', path: '/version' }, signal);
    assert.match(version.gitVersion, /^v1\./);
    await assert.rejects(stage.client.request({ method: 'GET', path: '/nothing/here' }, signal), { code: 'NOT_FOUND' });
  });
}
