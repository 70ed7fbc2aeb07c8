import assert from 'node:assert/strict';
import { isIP, SocketAddress } from 'node:net';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { isInNetwork, parseIp, parseIpNetwork } from './ip-network.ts';

const ipv4 = fc.ipV4();
const ipv6 = fc.ipV6();

describe('addresses', () => {
  it('are what Node takes for one, and nothing else is', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6, fc.string(), fc.stringMatching(/^[\d.:a-f]{0,20}$/)), (text) => {
        assert.equal(parseIp(text) !== undefined, isIP(text) !== 0, text);
      }),
    );
  });

  it('are the same however they are written', () => {
    fc.assert(
      fc.property(ipv6, (text) => {
        const { address } = new SocketAddress({ address: text, family: 'ipv6' });
        assert.deepEqual(parseIp(text), parseIp(address));
      }),
    );
    assert.deepEqual(parseIp('::ffff:127.0.0.1'), [127, 0, 0, 1]);
    assert.deepEqual(parseIp('::FFFF:7f00:1'), [127, 0, 0, 1]);
    assert.deepEqual(parseIp('fe80::1%eth0'), parseIp('fe80::1'));
  });

  for (const text of [
    '127.1',
    '010.0.0.1',
    '0x7f.0.0.1',
    '1.2.3.256',
    '1::2::3',
    '1:2:3:4:5:6:7:8:9',
    '::1.2.3',
    '1.2.3.4::',
    'localhost',
  ]) {
    it(`are not ${text}`, () => assert.equal(parseIp(text), undefined));
  }
});

describe('networks', () => {
  const network = (text: string) => parseIpNetwork(text) ?? assert.fail(`${text} is a network`);

  it('hold the address they are named by, and all addresses with no bits', () => {
    fc.assert(
      fc.property(fc.oneof(ipv4, ipv6), (text) => {
        const ip = parseIp(text) ?? [];
        assert.ok(isInNetwork(ip, network(text)));
        assert.equal(isInNetwork(ip, network('0.0.0.0/0')), ip.length === 4);
        assert.equal(isInNetwork(ip, network('::/0')), ip.length === 16);
      }),
    );
  });

  const rows = [
    { network: '172.16.0.0/12', inside: '172.31.255.255', outside: '172.32.0.0' },
    { network: '10.0.0.0/8', inside: '::ffff:10.1.2.3', outside: '11.0.0.0' },
    { network: '::ffff:10.0.0.0/104', inside: '10.1.2.3', outside: '11.0.0.0' },
    { network: 'fc00::/7', inside: 'fdff::1', outside: 'fe00::1' },
    { network: '192.0.2.7', inside: '192.0.2.7', outside: '192.0.2.8' },
  ];
  for (const { network: text, inside, outside } of rows) {
    it(`${text} ends where its bits end`, () => {
      assert.ok(isInNetwork(parseIp(inside) ?? [], network(text)));
      assert.ok(!isInNetwork(parseIp(outside) ?? [], network(text)));
    });
  }

  for (const text of [
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.1/8',
    '10/8',
    'fe80::%1/64',
    '::/129',
    '10.0.0.0/-1',
  ]) {
    it(`are not ${text}`, () => assert.equal(parseIpNetwork(text), undefined));
  }
});
