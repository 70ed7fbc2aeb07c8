import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolvePlatformConfig } from './config.ts';
import { metricsPermission, operatorDialGuard, platformDialGuard } from './dial-guard.ts';

const { signal } = new AbortController();
const OWN = { host: '127.0.0.1', port: 8700 };

async function isDialled(
  address: string,
  args: readonly string[],
  { port = 6443, by = platformDialGuard }: { readonly port?: number; readonly by?: typeof platformDialGuard } = {},
): Promise<boolean> {
  const { values } = resolvePlatformConfig({ args, environment: {}, readText: () => '' });
  const guard = by(values, () => ({ http: OWN }));
  try {
    await guard.lookupFor({ host: address, port }, signal);
    return true;
  } catch (error) {
    assert.equal((error as { code?: unknown }).code, 'ADDRESS_REFUSED');
    return false;
  }
}

const BEYOND = ['--tls-listen', '0.0.0.0:8701'];
const rows = [
  { why: 'a platform of one machine dials that machine', address: '127.0.0.1', args: [], want: true },
  { why: 'and over IPv6', address: '::1', args: [], want: true },
  { why: 'one that others reach does not', address: '127.0.0.1', args: BEYOND, want: false },
  { why: 'one behind a proxy does not', address: '127.0.0.1', args: ['--trust-proxy', '127.0.0.1'], want: false },
  { why: 'one that fleetlets reach does not', address: '::1', args: ['--fleetlet-listen', '0.0.0.0:0'], want: false },
  {
    why: 'loopback can be allowed',
    address: '127.0.0.1',
    args: [...BEYOND, '--dial-allow', '127.0.0.0/8'],
    want: true,
  },
  { why: 'private networks are asked for', address: '10.0.0.1', args: [], want: false },
  { why: 'and given', address: '10.0.0.1', args: ['--dial-allow', '192.168.0.0/16,10.0.0.0/8'], want: true },
  { why: 'link-local ones are not', address: '169.254.169.254', args: ['--dial-allow', '0.0.0.0/0'], want: false },
];

describe('addresses that the platform dials for users', () => {
  for (const { why, address, args, want } of rows) {
    it(why, async () => assert.equal(await isDialled(address, args), want));
  }

  it('are never its own', async () => {
    assert.equal(await isDialled(OWN.host, [], { port: OWN.port }), false);
  });
});

describe('addresses that the operator or the root sets', () => {
  for (const { why, address, port, want } of [
    { why: 'may be private', address: '10.0.0.1', port: 443, want: true },
    { why: 'or on this machine', address: '127.0.0.1', port: 443, want: true },
    { why: 'or private over IPv6', address: 'fd12::1', port: 443, want: true },
    { why: 'are never link-local', address: '169.254.169.254', port: 80, want: false },
    { why: 'nor link-local over IPv6', address: 'fe80::1', port: 443, want: false },
    { why: 'nor a metadata service elsewhere', address: 'fd00:ec2::254', port: 80, want: false },
    { why: 'nor the platform itself', address: OWN.host, port: OWN.port, want: false },
  ]) {
    it(why, async () => assert.equal(await isDialled(address, BEYOND, { port, by: operatorDialGuard }), want));
  }
});

describe('the metrics', () => {
  for (const { why, args, want } of [
    { why: 'are public where this machine alone reaches them', args: [], want: 'public' },
    { why: 'and over IPv6', args: ['--listen', '[::1]:8700', '--tls-listen', '127.1.2.3:8701'], want: 'public' },
    {
      why: 'also beside a listener for fleetlets, which serves none',
      args: ['--fleetlet-listen', '0.0.0.0:0'],
      want: 'public',
    },
    { why: 'are not where others reach the API by TLS', args: BEYOND, want: 'metrics.read' },
    { why: 'or without', args: ['--listen', '0.0.0.0:8700', '--insecure-http'], want: 'metrics.read' },
    {
      why: 'or by a name that says nothing of where it is',
      args: ['--listen', 'host:8700', '--insecure-http'],
      want: 'metrics.read',
    },
    { why: 'or through a proxy on this machine', args: ['--trust-proxy', '127.0.0.1'], want: 'metrics.read' },
    { why: 'or where the operator says so', args: ['--protect-metrics'], want: 'metrics.read' },
  ]) {
    it(why, () => {
      const { values } = resolvePlatformConfig({ args, environment: {}, readText: () => '' });
      assert.equal(metricsPermission(values), want);
    });
  }
});
