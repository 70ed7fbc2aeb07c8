import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindOf, secretsIn } from './request-kind.ts';

const rows = [
  { why: 'a list', method: 'GET', path: '/api/v1/pods?watch=true', want: 'read' },
  { why: 'the root', method: 'GET', path: '/', want: 'read' },
  { why: 'discovery', method: 'GET', path: '/apis/apps/v1', want: 'read' },
  { why: 'a slash at the end', method: 'GET', path: '/openapi/v3/', want: 'read' },
  { why: 'logs', method: 'GET', path: '/api/v1/namespaces/a/pods/b/log?follow=true', want: 'read' },
  { why: 'a thing that is called exec', method: 'GET', path: '/api/v1/namespaces/exec/pods/exec', want: 'read' },
  { why: 'a namespace that is called proxy', method: 'GET', path: '/api/v1/namespaces/proxy', want: 'read' },
  {
    why: 'a deployment that is called proxy',
    method: 'GET',
    path: '/apis/apps/v1/namespaces/a/deployments/proxy',
    want: 'read',
  },
  { why: 'an old watch', method: 'GET', path: '/api/v1/watch/namespaces/a/pods/exec', want: 'read' },
  {
    why: 'a question about oneself',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews',
    want: 'read',
  },
  { why: 'who one is', method: 'POST', path: '/apis/authentication.k8s.io/v1/selfsubjectreviews', want: 'read' },
  {
    why: 'a question about others',
    method: 'POST',
    path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
    want: 'write',
  },
  { why: 'a create', method: 'POST', path: '/api/v1/namespaces', want: 'write' },
  { why: 'a method that nobody knows', method: 'PROPFIND', path: '/api/v1/pods', want: 'write' },
  { why: 'exec', method: 'GET', path: '/api/v1/namespaces/a/pods/b/exec?command=sh', want: 'write' },
  { why: 'attach', method: 'GET', path: '/api/v1/namespaces/a/pods/b/attach', want: 'write' },
  { why: 'a forwarded port', method: 'GET', path: '/api/v1/namespaces/a/pods/b/portforward', want: 'write' },
  {
    why: 'a service behind the server',
    method: 'GET',
    path: '/api/v1/namespaces/a/services/b/proxy/x/y',
    want: 'write',
  },
  { why: 'a node behind the server', method: 'GET', path: '/api/v1/nodes/n/proxy/metrics', want: 'write' },
  { why: 'the old way to a proxy', method: 'GET', path: '/api/v1/proxy/nodes/n', want: 'write' },
  {
    why: 'of an API that is added',
    method: 'GET',
    path: '/apis/sub.kubevirt.io/v1/namespaces/a/vms/b/portforward/22',
    want: 'write',
  },
  { why: 'letters in disguise', method: 'GET', path: '/api/v1/namespaces/a/pods/b/%65xec', want: 'write' },
  { why: 'a way around', method: 'GET', path: '/api/v1/namespaces/a/pods/b/x/../exec', want: 'write' },
  { why: 'nothing in between', method: 'GET', path: '/api/v1/namespaces/a/pods//b/exec', want: 'write' },
  { why: 'a slash in disguise', method: 'GET', path: '/api/v1/namespaces/a/pods/b%2Fexec', want: 'write' },
  { why: 'what is no encoding', method: 'GET', path: '/api/v1/%zz', want: 'write' },
] as const;

for (const { why, want, ...asked } of rows) {
  test(`${why}: ${want}`, () => {
    assert.equal(kindOf({ ...asked, isUpgrade: false }), want);
  });
}

const SECRETS = [
  { path: '/api/v1/secrets?watch=true', want: '/api/v1/secrets' },
  { path: '/api/v1/namespaces/a/secrets/', want: '/api/v1/namespaces/a/secrets' },
  { path: '/api/v1/namespaces/a/%73ecrets/b', want: '/api/v1/namespaces/a/secrets/b' },
  { path: '/api/v1/watch/namespaces/a/secrets/b', want: '/api/v1/watch/namespaces/a/secrets/b' },
  { path: '/api/v1/watch/secrets', want: '/api/v1/watch/secrets' },
  { path: '/api/v1/namespaces/secrets', want: undefined },
  { path: '/api/v1/namespaces/secrets/pods/secrets', want: undefined },
  { path: '/apis/apps/v1/secrets', want: undefined },
  { path: '/api', want: undefined },
] as const;

for (const { path, want } of SECRETS) {
  test(`${path} reads ${want === undefined ? 'no Secrets' : 'Secrets'}`, () => assert.equal(secretsIn(path), want));
}

test('what is to become something else is a write', () => {
  assert.equal(kindOf({ method: 'GET', path: '/api/v1/pods', isUpgrade: true }), 'write');
});
