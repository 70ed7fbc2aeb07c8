import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerNetwork } from './caller-network.ts';

const NETWORKS: readonly (readonly [string, string, string])[] = [
  ['10.0.0.7', '10.0.0.7', 'an address of IPv4 is one caller'],
  ['10.0.0.7:443', '10.0.0.7', 'whatever its port'],
  ['::ffff:10.0.0.7', '10.0.0.7', 'also on a socket for both families'],
  ['::ffff:a00:7', '10.0.0.7', 'however that is written'],
  ['[::ffff:10.0.0.7]:443', '10.0.0.7', 'and with a port'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', 'a host of IPv6 has 64 bits to itself'],
  ['[2001:DB8:1:2::9]:443', '2001:db8:1:2::/64', 'in any spelling'],
  ['2001:db8::9', '2001:db8:0:0::/64', 'with zeros left out'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64', 'with a zone'],
  ['::1', '0:0:0:0::/64', 'loopback'],
  ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64', 'with an embedded IPv4 address that is no mapped one'],
  ['unix', 'unix', 'what has no address stands for itself'],
  ['', '', 'nothing'],
  ['1:2:3', '1:2:3', 'too short'],
  ['::1::2', '::1::2', 'twice left out'],
  ['1:2:3:4:5:6:7:8:9', '1:2:3:4:5:6:7:8:9', 'too long'],
  ['g::1', 'g::1', 'no number'],
];

describe('the network of a caller', () => {
  for (const [address, network, why] of NETWORKS) {
    it(`of ${address || 'nothing'} is ${network || 'nothing'}: ${why}`, () => {
      assert.equal(callerNetwork(address), network);
    });
  }
});
