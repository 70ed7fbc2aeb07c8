import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseProxy, proxyFor } from './proxy-for.ts';

const PROXY = 'http://proxy.example:3128';

describe('the proxy that the environment means', () => {
  const rows = [
    { why: 'no variable, no proxy', env: {}, want: undefined },
    { why: 'HTTPS_PROXY', env: { HTTPS_PROXY: PROXY }, want: `${PROXY}/` },
    { why: 'in small letters', env: { https_proxy: PROXY }, want: `${PROXY}/` },
    { why: 'without a protocol it is http', env: { HTTPS_PROXY: 'proxy.example:3128' }, want: `${PROXY}/` },
    { why: 'an empty one is none', env: { HTTPS_PROXY: '' }, want: undefined },
    { why: 'never for this machine', host: 'localhost', env: { HTTPS_PROXY: PROXY }, want: undefined },
    { why: 'nor by address', host: '127.0.0.1', env: { HTTPS_PROXY: PROXY }, want: undefined },
    { why: 'nor in IPv6', host: '::1', env: { HTTPS_PROXY: PROXY }, want: undefined },
    ...[
      { why: 'all', no: '*', want: undefined },
      { why: 'the name', no: 'a.example.com', want: undefined },
      { why: 'in any letters, among others', no: 'x, A.Example.COM ,y', want: undefined },
      { why: 'a domain that it is in', no: 'example.com', want: undefined },
      { why: 'the same with a dot', no: '.example.com', want: undefined },
      { why: 'the same with a star', no: '*.example.com', want: undefined },
      { why: 'a dot leaves out the domain itself', host: 'example.com', no: '.example.com', want: `${PROXY}/` },
      { why: 'what only ends alike', no: 'ample.com', want: `${PROXY}/` },
      { why: 'its port', no: 'example.com:8702', want: undefined },
      { why: 'another port', no: 'example.com:443', want: `${PROXY}/` },
      { why: 'an address', host: '10.1.2.3', no: '10.1.2.3', want: undefined },
      { why: 'an address with its port', host: '10.1.2.3', no: '10.1.2.3:8702', want: undefined },
      { why: 'a network', host: '10.1.2.3', no: '10.0.0.0/8', want: undefined },
      { why: 'another network', host: '11.1.2.3', no: '10.0.0.0/8', want: `${PROXY}/` },
      { why: 'a network of IPv6', host: 'fd00::7', no: 'fd00::/8', want: undefined },
      { why: 'an address of IPv6', host: 'fd00::7', no: 'fd00::7', want: undefined },
      { why: 'what is no network', host: '10.1.2.3', no: '10.0.0.0/99', want: `${PROXY}/` },
    ].map(({ no, why, ...row }) => ({ ...row, why: `NO_PROXY: ${why}`, env: { HTTPS_PROXY: PROXY, NO_PROXY: no } })),
  ];
  for (const { why, env, want, host = 'a.example.com' } of rows as readonly ((typeof rows)[number] & {
    host?: string;
  })[]) {
    it(why, () => assert.equal(proxyFor({ host, port: 8702, protocol: 'https' }, env)?.href, want));
  }

  it('is not told when it is no address, since it may hold a password', () => {
    assert.throws(
      () => parseProxy('socks5://user:geheim@proxy'),
      (error: Error) => 'code' in error && error.code === 'UNREACHABLE' && !error.message.includes('geheim'),
    );
  });
});
