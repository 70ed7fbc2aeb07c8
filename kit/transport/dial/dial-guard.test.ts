import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { FleetError, parseIpNetwork } from '#kit/std';
import { createDialGuard, type DialGuardOptions } from './dial-guard.ts';

const { signal } = new AbortController();
const PORT = 6443;

function guard(allow: readonly string[] = [], options: Partial<DialGuardOptions> = {}) {
  const networks = allow.map((text) => parseIpNetwork(text) ?? assert.fail(text));
  return createDialGuard({ allow: networks, own: () => [], setting: '--dial-allow', ...options });
}

async function dials(host: string, allow: readonly string[] = [], options: Partial<DialGuardOptions> = {}) {
  try {
    const lookup = await guard(allow, options).lookupFor({ host, port: PORT }, signal);
    const found = Promise.withResolvers<unknown>();
    lookup('ignored', { all: true }, (_error, addresses) => found.resolve(addresses));
    return ((await found.promise) as { address: string }[]).map(({ address }) => address);
  } catch (error) {
    if (error instanceof FleetError) return error.code;
    throw error;
  }
}

describe('a guard of dialling', () => {
  for (const host of ['8.8.8.8', '172.32.0.1', '192.0.3.1', '2606:4700::1111', '2002:808:808::1', '::ffff:8.8.8.8']) {
    it(`dials ${host}`, async () => assert.deepEqual(await dials(host), [host]));
  }

  const inside = [
    '127.0.0.1',
    '127.9.9.9',
    '::1',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    'fd12::1',
    'fc00::1',
    'ff02::1',
    'fec0::1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '2001::1',
    '2002:a00:1::1',
  ];
  for (const host of inside) {
    it(`refuses ${host} without a setting`, async () => assert.equal(await dials(host), 'ADDRESS_REFUSED'));
  }

  it('dials what the setting allows, and no more of it', async () => {
    assert.deepEqual(await dials('10.1.2.3', ['10.0.0.0/8']), ['10.1.2.3']);
    assert.deepEqual(await dials('::ffff:10.1.2.3', ['10.0.0.0/8']), ['::ffff:10.1.2.3']);
    assert.equal(await dials('192.168.1.1', ['10.0.0.0/8']), 'ADDRESS_REFUSED');
    assert.deepEqual(await dials('64:ff9b::8.8.8.8', ['64:ff9b::/96']), ['64:ff9b::8.8.8.8']);
    assert.equal(
      await dials('64:ff9b::10.0.0.1', ['64:ff9b::/96']),
      'ADDRESS_REFUSED',
      'the address inside counts too',
    );
  });

  const never = [
    '169.254.169.254',
    'fe80::1',
    '::ffff:169.254.169.254',
    'fd00:ec2::254',
    '168.63.129.16',
    '100.100.100.200',
  ];
  for (const host of [...never, '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1']) {
    it(`never dials ${host}`, async () => {
      assert.equal(await dials(host, ['0.0.0.0/0', '::/0']), 'ADDRESS_REFUSED');
    });
  }

  it('never dials its own listeners, however they are written', async () => {
    const own = (host: string) => ({ own: () => [{ host, port: PORT }] });
    const all = ['0.0.0.0/0', '::/0'];
    for (const host of ['127.0.0.1', '::ffff:127.0.0.1']) {
      assert.equal(await dials(host, all, own('127.0.0.1')), 'ADDRESS_REFUSED');
    }
    assert.deepEqual(await dials('127.0.0.2', all, own('127.0.0.1')), ['127.0.0.2']);
    assert.deepEqual(await dials('127.0.0.1', all, { own: () => [{ host: '127.0.0.1', port: 1 }] }), ['127.0.0.1']);
    const here = Object.values(networkInterfaces()).flatMap((some) => some ?? []);
    for (const { address } of [...here, { address: '127.0.0.1' }, { address: '0.0.0.0' }, { address: '::' }]) {
      for (const everywhere of ['0.0.0.0', '::']) {
        assert.equal(await dials(address, all, own(everywhere)), 'ADDRESS_REFUSED', `${address} at ${everywhere}`);
      }
    }
  });

  it('gives of a name only the addresses that it has checked, resolved once', async () => {
    let asked = 0;
    const resolve = async () => {
      asked += 1;
      return ['8.8.8.8', '127.0.0.1', '::1'].map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
    };
    assert.deepEqual(await dials('rebinding.example', [], { resolve }), ['8.8.8.8']);
    assert.equal(asked, 1);
  });

  it('refuses a name that leads inside, and does not tell where', async () => {
    const resolve = async () => [{ address: '10.20.30.40', family: 4 }];
    const refused = guard([], { resolve }).lookupFor({ host: 'db.internal', port: PORT }, signal);
    await assert.rejects(refused, (error: FleetError) => {
      assert.equal(error.code, 'ADDRESS_REFUSED');
      assert.match(error.message, /db\.internal.*--dial-allow/);
      assert.doesNotMatch(error.message, /10\.20/);
      return true;
    });
  });

  it('passes a name on to a proxy, and checks an address', () => {
    guard().checkLiteral({ host: 'db.internal', port: PORT });
    assert.throws(() => guard().checkLiteral({ host: '10.0.0.1', port: PORT }), { code: 'ADDRESS_REFUSED' });
  });

  it('says that a name is not known', async () => {
    const resolve = () => Promise.reject(new Error('ENOTFOUND'));
    assert.equal(await dials('nowhere.example', [], { resolve }), 'UNREACHABLE');
  });

  it('allows nothing by how an address of IPv4 is written in IPv6', async () => {
    await fc.assert(
      fc.asyncProperty(fc.ipV4(), async (address) => {
        const [plain, mapped] = [await dials(address), await dials(`::ffff:${address}`)];
        assert.equal(typeof plain, typeof mapped, address);
      }),
    );
  });
});
