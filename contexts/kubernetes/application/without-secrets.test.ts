import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KubeError } from '#kit/kube';
import type { KubeObject } from '../domain/kube-object.ts';
import { map, order, runAgent } from '../testing/agent-scene.ts';
import { fakePorts } from '../testing/fake-ports.ts';
import type { ClusterApi } from './ports.ts';

const signal = new AbortController().signal;
const MARKED = 'marked-hunter2';
const SECRET = 'secret-hunter2';
const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data: { password: btoa(SECRET) } };
const ORDER = order(1, [map('a', { login: MARKED }), secret], { secretPlaces: ['/0/data/login'] });

/** A server failure that quotes the request in each part of the answer. */
function quotingFailure(object: KubeObject): KubeError {
  const message = `etcdserver: no space for ${JSON.stringify(object)}`;
  const status = { kind: 'Status', message, details: { causes: [{ field: 'data', message: SECRET }] } };
  const faults = [{ path: '/data', message }];
  return new KubeError('SERVER_ERROR', `apply: ${message}`, { details: { httpStatus: 500, status }, faults });
}

/** Once `failure` is set, every apply fails. */
function failingPorts() {
  const ports = fakePorts();
  const its: { failure?: (object: KubeObject) => KubeError } = {};
  const api: ClusterApi = {
    get: async (key, stop) => await ports.api.get(key, stop),
    apply: async (object, options, stop) => {
      if (its.failure !== undefined) throw its.failure(object);
      return await ports.api.apply(object, options, stop);
    },
    delete: async (key, meant, stop) => await ports.api.delete(key, meant, stop),
  };
  return { its, cluster: ports.api, ports: { ...ports, api } };
}

function quotedIn(errors: readonly unknown[]): string[] {
  const words = errors.map((error) => {
    const { message, stack, details, faults, cause } = error as KubeError;
    return `${message} ${stack} ${JSON.stringify([details, faults, cause])}`;
  });
  return [MARKED, SECRET, btoa(SECRET)].filter((canary) => words.some((each) => each.includes(canary)));
}

describe('a server that fails and quotes what it was sent', () => {
  it('is logged and told without secrets, and with its code', async (t) => {
    const { its, ports } = failingPorts();
    its.failure = quotingFailure;
    const { agent, heard, trouble } = await runAgent(t, ports);
    await agent.dispatch(ORDER, signal);
    await heard.until(/^health 1 Unknown apply: etcdserver/, signal);
    assert.deepEqual(quotedIn(trouble), []);
    assert.equal((trouble[0] as KubeError).code, 'SERVER_ERROR');
    const failure = await agent.preview(ORDER, signal).catch((error: unknown) => error);
    assert.match((failure as Error).message, /etcdserver.*\(hidden\)/);
    assert.deepEqual(quotedIn([failure]), []);
  });

  it('is so too when it was asked about drift', async (t) => {
    const { its, ports, cluster } = failingPorts();
    const { agent, heard, trouble } = await runAgent(t, ports);
    await agent.dispatch(ORDER, signal);
    await heard.until('health 1 Available', signal);
    its.failure = quotingFailure;
    cluster.applyAs('kubectl', map('a', { login: 'other' }), { force: true });
    await heard.until(/^health 1 Unknown apply: etcdserver/, signal);
    assert.deepEqual(quotedIn(trouble), []);
  });

  it('stays as it is where it quotes nothing', async (t) => {
    const { its, ports } = failingPorts();
    const failure = new KubeError('SERVER_ERROR', 'apply: no space', { details: { httpStatus: 500 } });
    its.failure = () => failure;
    const { agent, heard, trouble } = await runAgent(t, ports);
    await agent.dispatch(ORDER, signal);
    await heard.until('health 1 Unknown apply: no space', signal);
    assert.equal(trouble[0], failure);
  });
});
