import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { collectionPath, objectPath, withQuery } from './api-paths.ts';
import { CORE } from './core-resources.ts';

describe('paths of the API', () => {
  it('has the core group apart', () => {
    assert.equal(collectionPath({ resource: CORE.pods, namespace: 'a' }), '/api/v1/namespaces/a/pods');
    assert.equal(collectionPath({ resource: CORE.deployments }), '/apis/apps/v1/deployments');
    assert.equal(objectPath({ resource: CORE.namespaces, name: 'a' }), '/api/v1/namespaces/a');
    assert.equal(
      objectPath({ resource: CORE.pods, namespace: 'a', name: 'b' }, 'log'),
      '/api/v1/namespaces/a/pods/b/log',
    );
  });

  it('keeps names in their place', () => {
    const at = (name: string, namespace = 'a') => objectPath({ resource: CORE.pods, namespace, name });
    assert.equal(at('b/c?d#e%2e'), '/api/v1/namespaces/a/pods/b%2Fc%3Fd%23e%252e');
    for (const name of ['', '.', '..']) assert.throws(() => at(name), { code: 'BAD_REQUEST' });
    assert.throws(() => at('b', '..'), { code: 'BAD_REQUEST' });
    assert.throws(() => objectPath({ resource: CORE.pods, name: 'b' }), { code: 'BAD_REQUEST' }, 'no namespace');
    assert.throws(() => objectPath({ resource: CORE.nodes, namespace: 'a', name: 'b' }), { code: 'BAD_REQUEST' });
  });

  it('writes only what was given into a query', () => {
    assert.equal(withQuery('/x', { a: undefined }), '/x');
    assert.equal(withQuery('/x', { a: 'b c', d: 1, e: undefined, f: true }), '/x?a=b+c&d=1&f=true');
  });
});
