import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, beforeEach, describe, it } from 'node:test';
import { parseIpNetwork, systemClock } from '#kit/std';
import { createDialGuard } from '#kit/transport/dial';
import { IssuerClient } from './issuer-client.ts';
import { type IssuerDial, issuerFetch } from './issuer-fetch.ts';

const signal = new AbortController().signal;
const GET = { method: 'GET', headers: {} };

/**
 * `out` and `out-keys` resolve to public addresses, `in` and `in-keys` to private ones; every dial ends on this
 * machine.
 */
const NAMES: Readonly<Record<string, string>> = {
  'out.test': '203.0.113.9',
  'out-keys.test': '203.0.113.10',
  'in.test': '10.0.0.1',
  'in-keys.test': '10.0.0.2',
  'cloud.test': '169.254.169.254',
  'platform.test': '192.0.2.7',
};

function guardWith(...allow: readonly string[]) {
  return createDialGuard({
    allow: allow.flatMap((network) => parseIpNetwork(network) ?? []),
    own: () => [{ host: '192.0.2.7', port: 443 }],
    setting: '--dial-allow',
    resolve: async (host) => [{ address: NAMES[host] ?? '', family: 4 }],
  });
}
const DIAL: IssuerDial = { issuers: guardWith('0.0.0.0/0', '::/0'), named: guardWith() };

/** Whether the guards let the request pass. Nothing is dialled: the request is aborted when it resolves the address. */
async function verdict(issuer: string, url: string, named = DIAL.named): Promise<string> {
  const leave = new AbortController();
  const stopping = (guard: IssuerDial['issuers']): IssuerDial['issuers'] => ({
    ...guard,
    lookupFor: async (place, stop) => {
      const lookup = await guard.lookupFor(place, stop);
      return (...args) => {
        leave.abort();
        lookup(...args);
      };
    },
  });
  const dial = { issuers: stopping(DIAL.issuers), named: stopping(named) };
  try {
    await issuerFetch({ url: issuer }, dial)(url, { ...GET, signal: leave.signal });
    return 'answered';
  } catch (error) {
    return (error as { code?: string }).code === 'ADDRESS_REFUSED' ? 'refused' : 'dialled';
  }
}

describe('where an issuer can send the platform', () => {
  for (const { why, issuer, url, want, allow = [] } of [
    { why: 'an issuer outside is asked', issuer: 'out', url: 'https://out.test/keys', want: 'dialled' },
    { why: 'an issuer inside is asked: most are', issuer: 'in', url: 'https://in.test/keys', want: 'dialled' },
    { why: 'one outside names another place outside', issuer: 'out', url: 'https://out-keys.test/', want: 'dialled' },
    { why: 'one outside leads nowhere inside', issuer: 'out', url: 'https://in.test/', want: 'refused' },
    { why: 'nor by an address', issuer: 'out', url: 'https://10.1.2.3/', want: 'refused' },
    { why: 'nor to this machine', issuer: 'out', url: 'https://127.0.0.1/', want: 'refused' },
    { why: 'nor in brackets', issuer: 'out', url: 'https://[::1]/', want: 'refused' },
    {
      why: 'but where the operator allows it',
      issuer: 'out',
      url: 'https://in.test/',
      want: 'dialled',
      allow: ['10.0.0.0/8'],
    },
    { why: 'one inside names another place inside', issuer: 'in', url: 'https://in-keys.test/', want: 'dialled' },
    { why: 'no issuer is a metadata service', issuer: 'cloud', url: 'https://cloud.test/', want: 'refused' },
    { why: 'one inside does not lead to one', issuer: 'in', url: 'https://cloud.test/latest', want: 'refused' },
    { why: 'nor by its address', issuer: 'in', url: 'https://169.254.169.254/', want: 'refused' },
    { why: 'none leads back to the platform', issuer: 'in', url: 'https://platform.test/v1/', want: 'refused' },
    { why: 'nor is it the platform', issuer: 'platform', url: 'https://platform.test/', want: 'refused' },
  ]) {
    it(why, async () => {
      assert.equal(await verdict(`https://${issuer}.test`, url, guardWith(...allow)), want);
    });
  }
});

describe('an issuer that names its keys elsewhere', () => {
  let server: Server;
  let asked: string[];
  let keysAt: string;
  before(async () => {
    server = createServer(({ url = '', headers: { host } }, response) => {
      asked.push(url);
      const issuer = `http://${host}`;
      const body = url === '/keys' ? { keys: [] } : { issuer, jwks_uri: keysAt || `${issuer}/keys` };
      response.setHeader('content-type', 'application/json').end(JSON.stringify(body));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());
  beforeEach(() => {
    asked = [];
    keysAt = '';
  });
  const client = () => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    return new IssuerClient({ issuer: { name: 'corp' as never, url, ca: undefined }, clock: systemClock, dial: DIAL });
  };

  it('is believed where it says that they are with itself', async () => {
    await client().facts(signal);
    assert.deepEqual(asked, ['/.well-known/openid-configuration', '/keys']);
  });

  for (const place of [
    'https://169.254.169.254/keys',
    'https://192.0.2.7/keys',
    'http://10.0.0.1/keys',
    'file:///etc/passwd',
  ]) {
    it(`is not available with ${place}`, async () => {
      keysAt = place;
      await assert.rejects(client().facts(signal), { code: 'ISSUER_UNAVAILABLE' });
      assert.deepEqual(asked, ['/.well-known/openid-configuration']);
    });
  }

  it('is not believed over TLS when its keys are plain on this machine', async () => {
    const issuer = { name: 'corp' as never, url: 'https://out.test', ca: undefined };
    const called: string[] = [];
    const answers = new IssuerClient({
      issuer,
      clock: systemClock,
      fetch: async (url) => {
        called.push(url);
        return Response.json({ issuer: 'https://out.test', jwks_uri: 'http://127.0.0.1:9200/_search', keys: [] });
      },
    });
    await assert.rejects(answers.facts(signal), { code: 'ISSUER_UNAVAILABLE' });
    assert.deepEqual(called, ['https://out.test/.well-known/openid-configuration']);
  });
});
