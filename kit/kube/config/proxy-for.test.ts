import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { proxyFor } from './proxy-for.ts';

describe('proxyFor', () => {
  const HTTPS_PROXY = 'http://proxy:3128';
  const rows: { why: string; server: string; environment: Record<string, string>; want: string | undefined }[] = [
    { why: 'none is named', server: 'https://a.example.com', environment: {}, want: undefined },
    {
      why: 'by the scheme of the server',
      server: 'https://a.example.com',
      environment: { HTTPS_PROXY },
      want: 'http://proxy:3128/',
    },
    {
      why: 'the other scheme has its own',
      server: 'http://a.example.com',
      environment: { HTTPS_PROXY },
      want: undefined,
    },
    {
      why: 'small letters do as well',
      server: 'https://a.example.com',
      environment: { https_proxy: HTTPS_PROXY },
      want: 'http://proxy:3128/',
    },
    {
      why: 'without a scheme it is http',
      server: 'https://a.example.com',
      environment: { HTTPS_PROXY: 'proxy:3128' },
      want: 'http://proxy:3128/',
    },
    { why: 'never for this machine', server: 'https://127.0.0.1:6443', environment: { HTTPS_PROXY }, want: undefined },
    { why: 'nor by its name', server: 'https://localhost:6443', environment: { HTTPS_PROXY }, want: undefined },
    ...exempt('*', 'https://a.example.com', true),
    ...exempt('example.com', 'https://a.example.com', true),
    ...exempt('example.com', 'https://example.com', true),
    ...exempt('.example.com', 'https://example.com', false),
    ...exempt('.example.com', 'https://a.example.com', true),
    ...exempt('*.example.com', 'https://a.example.com', true),
    ...exempt('ample.com', 'https://a.example.com', false),
    ...exempt('b.com, EXAMPLE.com ', 'https://a.example.com', true),
    ...exempt('example.com:6443', 'https://a.example.com', false),
    ...exempt('example.com:443', 'https://a.example.com', true),
    ...exempt('10.0.0.0/8', 'https://10.1.2.3', true),
    ...exempt('10.0.0.0/8', 'https://11.1.2.3', false),
    ...exempt('10.1.2.3', 'https://10.1.2.3:6443', true),
    ...exempt('10.1.2', 'https://10.1.2.3', false),
    ...exempt('fd00::/8', 'https://[fd00::1]:6443', true),
    ...exempt('10.0.0.0/99', 'https://10.1.2.3', false),
  ];
  for (const { why, server, environment, want } of rows) {
    it(why, () => assert.equal(proxyFor(new URL(server), environment), want));
  }

  it('refuses kinds of proxies that it cannot use', () => {
    const environment = { HTTPS_PROXY: 'socks5://proxy:1080' };
    assert.throws(() => proxyFor(new URL('https://a.example.com'), environment), { code: 'CONFIG_UNSUPPORTED' });
  });

  function exempt(NO_PROXY: string, server: string, is: boolean) {
    const want = is ? undefined : 'http://proxy:3128/';
    return [
      {
        why: `NO_PROXY=${NO_PROXY} ${is ? 'has' : 'has not'} ${server}`,
        server,
        environment: { HTTPS_PROXY, NO_PROXY },
        want,
      },
    ];
  }
});
