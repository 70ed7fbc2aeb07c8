import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { PATIENCE_MS } from '#testing/patience';
import { EXIT } from '../../../command.ts';
import { exitCodeOf } from '../../../exit-code-of.ts';
import { adminToken, type RunningPlatform, startPlatform } from '../../../testing/processes.ts';
import { installManifest } from './install-manifest.ts';

describe('fleetshift target install-manifest', () => {
  let data: string;
  let platform: RunningPlatform;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'fleetshift-manifest-'));
    platform = await startPlatform('product', data, [...adminToken(data), '--fleetlet-listen', 'none']);
  });
  after(async () => {
    await platform.stop();
    await rm(data, { recursive: true, force: true });
  });

  /** In this process: starting one for each takes longer than the command itself. */
  const run = async (...args: string[]) => {
    let [out, err] = ['', ''];
    const io = {
      out: (text: string) => void (out += text),
      err: (text: string) => void (err += text),
      errIsTerminal: false,
      environment: { FLEETSHIFT_CONFIG: join(data, 'config') },
    };
    const where = ['--server', platform.addresses[0], '--data', data];
    const code = await installManifest([...args, ...where], io, AbortSignal.timeout(PATIENCE_MS)).catch(exitCodeOf);
    return { code, out, err };
  };
  const printed = async (...args: string[]) => {
    const { code, out, err } = await run(...args);
    assert.equal(code, EXIT.ok, err);
    return { err, objects: parseAllDocuments(out).map((document) => document.toJS()) };
  };
  const tokens = async () => {
    const authorization = `Bearer ${(await readFile(join(data, 'admin-token'), 'utf8')).trim()}`;
    const path = `${platform.addresses[0]}/v1/workspaces/root/bootstrap-tokens`;
    const answer = await fetch(path, { headers: { authorization }, signal: AbortSignal.timeout(PATIENCE_MS) });
    return JSON.parse(await answer.text()).items;
  };

  it('prints objects, with a token for this cluster alone', async () => {
    const { objects, err } = await printed('eu-1', '-w', 'root', '--platform', 'https://fleet.example:8701');
    const found = (kind: string) => objects.find((object) => object.kind === kind);
    assert.deepEqual(found('ConfigMap').data, {
      FLEETSHIFT_PLATFORM: 'https://fleet.example:8701',
      FLEETSHIFT_AGENT_IMAGE: 'fleetshift',
      FLEETSHIFT_API_PROXY_USERS: 'none',
      FLEETSHIFT_TARGET: 'eu-1=kubernetes',
    });
    assert.match(found('Secret').stringData.token, /^fsb_/);
    assert.equal(err.includes(found('Secret').stringData.token), false, 'a log has it not');
    const [token] = await tokens();
    assert.partialDeepStrictEqual(token, { uses: 1, targets: ['eu-1'], targetType: 'kubernetes' });
  });

  it('makes one for many clusters, which name themselves', async () => {
    const { objects } = await printed('-w', 'root', '--token-uses', '50', '--token-expires', '7d');
    const settings = objects.find(({ kind }) => kind === 'ConfigMap');
    assert.equal(settings.data.FLEETSHIFT_TARGET, undefined);
    const many = (await tokens()).find(({ uses }: { uses: number }) => uses === 50);
    assert.deepEqual(many.targets, []);
  });

  it('says that a cluster will not find a platform of this machine', async () => {
    const { err } = await printed('eu-2', '-w', 'root');
    assert.match(err, /with --platform/);
  });

  it('hands on who vouches for the platform', async () => {
    const ca = join(data, 'ours.crt');
    await writeFile(ca, '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n');
    const { objects } = await printed('eu-3', '-w', 'root', '--ca-file', ca);
    const authority = objects.find(({ metadata }) => metadata.name === 'fleetshift-agent-ca');
    assert.match(authority.data['ca.crt'], /BEGIN CERTIFICATE/);
  });

  it('prints one list to programs', async () => {
    const { code, out } = await run('eu-4', '-w', 'root', '-o', 'json');
    assert.equal(code, EXIT.ok);
    assert.partialDeepStrictEqual(JSON.parse(out), { kind: 'List', items: [{ kind: 'Namespace' }] });
  });

  it('leaves the token out for a cluster that has enrolled', async () => {
    const before = (await tokens()).length;
    const { objects } = await printed('eu-1', '-w', 'root', '--no-token', '--rbac', 'cluster-admin');
    assert.equal(
      objects.some(({ kind }) => kind === 'Secret'),
      false,
    );
    assert.equal((await tokens()).length, before);
  });

  it('prints an upgrade without asking for anything', async () => {
    const before = (await tokens()).length;
    const { objects } = await printed('--as-deployment', '--image', 'fleetshift:2');
    assert.deepEqual(
      objects.map(({ kind }) => kind),
      ['DeliveryPolicy', 'Deployment'],
    );
    assert.equal((await tokens()).length, before);
  });

  for (const { why, args } of [
    { why: 'two clusters are not one', args: ['a', 'b'] },
    { why: 'a name is of one cluster', args: ['a', '--token-uses', '2'] },
    { why: 'namespaced needs namespaces', args: ['a', '--rbac', 'namespaced'] },
    { why: 'namespaces need namespaced, or an API proxy', args: ['a', '--namespaces', 'shop'] },
    { why: 'an API proxy needs namespaces', args: ['a', '--api-proxy'] },
    {
      why: 'the namespace of the agent is for the agent',
      args: ['a', '--api-proxy', '--namespaces', 'shop,fleetshift-system'],
    },
    { why: 'users need an API proxy', args: ['a', '--api-proxy-users', 'user:alice'] },
    {
      why: 'users are those of the platform',
      args: ['a', '--api-proxy', '--namespaces', 'shop', '--api-proxy-users', 'system:admin'],
    },
    { why: 'not everything is a kind', args: ['a', '--allow', '*'] },
    { why: 'kinds are said as RBAC does', args: ['a', '--allow', 'apps/Deployment'] },
  ]) {
    it(`refuses the words, and makes no token: ${why}`, async () => {
      const before = (await tokens()).length;
      const { code, out } = await run(...args, '-w', 'root');
      assert.deepEqual([code, out], [EXIT.usage, '']);
      assert.equal((await tokens()).length, before);
    });
  }
});
