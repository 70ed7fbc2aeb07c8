import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { nextSteps } from './next-steps.ts';

const HERE = {
  command: 'fleetshift',
  dataFolder: '/tmp/ann/.fleetshift',
  isElsewhere: false,
  currentFolder: '/tmp/ann',
  server: 'http://127.0.0.1:8700',
};

/** The commands, without their explanations. */
function steps(facts: Parameters<typeof nextSteps>[0]): string[] {
  const lines = nextSteps(facts).split('\n');
  return lines.filter((line) => line.startsWith('  ')).map((line) => line.trim().replace(/ +# .*$/, ''));
}

suite('what a new user does next', () => {
  test('changes something, looks, agrees, breaks it, and goes back', () => {
    assert.deepEqual(steps(HERE), [
      'fleetshift get targets',
      'fleetshift deploy hello --set "greeting=Good morning"',
      'fleetshift rollout status hello',
      'cat .fleetshift/demo/eu-canary/etc/app.conf',
      'fleetshift rollout approve hello',
      'fleetshift rollout status hello --watch',
      'rm .fleetshift/demo/us-prod-1/etc/app.conf',
      'fleetshift rollout rollback hello --yes',
    ]);
  });

  test('the explanations stand below each other, and say how many folders there are and where', () => {
    const lines = nextSteps(HERE)
      .split('\n')
      .filter((line) => line.startsWith('  '));
    assert.equal(new Set(lines.map((line) => line.indexOf('  # '))).size, 1);
    assert.match(lines[0] ?? '', /# 13 folders below \.fleetshift\/demo$/);
  });

  test('where another context is current, each command of ours names the demo, and no other does', () => {
    const named = steps({ ...HERE, command: 'bin/fleetshift', isElsewhere: true });
    const where = ` -w demo --server ${HERE.server}`;
    for (const step of named) assert.equal(step.endsWith(where), step.startsWith('bin/fleetshift '), step);
  });

  test('a data folder where commands do not look is named', () => {
    const [first] = steps({ ...HERE, dataFolder: '/tmp/ann/other' });
    assert.equal(first, 'fleetshift get targets --data other');
  });

  test('a server that is not the usual one is named in each command of ours, and in no other', () => {
    const server = 'http://127.0.0.1:18700';
    const named = steps({ ...HERE, command: 'bin/fleetshift', server });
    for (const step of named) {
      assert.equal(step.endsWith(` --server ${server}`), step.startsWith('bin/fleetshift '), step);
    }
  });

  test('what is not below the current folder is named in full', () => {
    const [, , , look] = steps({ ...HERE, currentFolder: '/tmp/ann/work' });
    assert.equal(look, 'cat /tmp/ann/.fleetshift/demo/eu-canary/etc/app.conf');
  });

  test('of clusters there is more to do, with their own kubeconfig', () => {
    const kubeconfig = '/tmp/ann/.fleetshift/demo/kubernetes/kubeconfig';
    const clusters = { names: ['eu-kube', 'us-kube'], kubeconfig, kubectl: '/opt/kube/kubectl' };
    const all = steps({ ...HERE, clusters });
    assert.deepEqual(all.slice(0, 8), steps(HERE));
    assert.deepEqual(all.slice(8, 11), [
      'export KUBECONFIG=.fleetshift/demo/kubernetes/kubeconfig PATH=$PATH:/opt/kube',
      'kubectl --context eu-kube -n web get pods',
      'fleetshift deploy web --set image=web:2.0 -w demo-kubernetes',
    ]);
    assert.deepEqual(all.slice(-2), [
      'fleetshift kubeconfig generate eu-kube --merge',
      'kubectl --context fleetshift-eu-kube -n web get pods',
    ]);
    assert.equal(
      steps({ ...HERE, command: 'bin/fleetshift', clusters }).at(-2),
      'bin/fleetshift kubeconfig generate eu-kube --merge --command "$PWD/bin/fleetshift"',
    );
  });
});
