import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { mountedPaths } from './mounted-paths.ts';

const CONTAINER = {
  name: 'main',
  image: 'fleetshift',
  volumeMounts: [
    { name: 'config', mountPath: '/etc/app/' },
    { name: 'tls', mountPath: '/etc/app/tls' },
    { name: 'data', mountPath: '/data', subPath: 'a/b' },
  ],
};
const rewrite = mountedPaths(CONTAINER, { volumes: '/v', podIp: '127.1.2.3' });

describe('mountedPaths', () => {
  const rows = [
    { why: 'a path below a mount', text: '--config=/etc/app/settings.yaml', want: '--config=/v/config/settings.yaml' },
    { why: 'the mount itself', text: '/etc/app', want: '/v/config' },
    { why: 'the longest mount wins', text: '/etc/app/tls/tls.crt', want: '/v/tls/tls.crt' },
    { why: 'a part of a volume', text: '/data/file', want: '/v/data/a/b/file' },
    { why: 'several in one text', text: 'cat /data/x,/etc/app/y', want: 'cat /v/data/a/b/x,/v/config/y' },
    {
      why: 'a longer name that begins alike stays',
      text: '/etc/application /data-2',
      want: '/etc/application /data-2',
    },
    { why: 'the end of another path stays', text: '/mnt/data https://host/data', want: '/mnt/data https://host/data' },
    {
      why: 'any address is the address of the Pod',
      text: '--listen=0.0.0.0:80,[::]:81',
      want: '--listen=127.1.2.3:80,127.1.2.3:81',
    },
    { why: 'other addresses stay', text: '10.0.0.0/8 0.0.0.0.example', want: '10.0.0.0/8 0.0.0.0.example' },
  ];
  for (const { why, text, want } of rows) {
    it(why, () => assert.equal(rewrite(text), want));
  }

  it('leaves paths alone where nothing is mounted', () => {
    const bare = mountedPaths({ name: 'main', image: 'fleetshift' }, { volumes: '/v', podIp: '127.1.2.3' });
    assert.equal(bare('/etc/app'), '/etc/app');
  });
});
