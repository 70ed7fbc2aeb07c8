import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { suite, test } from 'node:test';
import { type OwnCertificate, renewedCertificate } from './own-certificate.ts';

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2030, 0, 1);
const NAMES = ['crs.fleet.svc', '127.0.0.1'];
const made = renewedCertificate({}, { names: NAMES, now: NOW });

suite('the own certificate of the webhooks', () => {
  test('is what the API server accepts under each name', () => {
    const server = new X509Certificate(made['tls.crt']);
    assert.ok(server.verify(new X509Certificate(made['ca.crt']).publicKey));
    assert.ok(server.checkHost('crs.fleet.svc'));
    assert.ok(server.checkIP('127.0.0.1'));
  });

  for (const { why, kept, names, now, keeps } of [
    { why: 'a day later all stays', kept: made, names: NAMES, now: NOW + DAY_MS, keeps: 'all' },
    { why: 'fewer names need nothing', kept: made, names: ['127.0.0.1'], now: NOW, keeps: 'all' },
    { why: 'after two thirds of its life', kept: made, names: NAMES, now: NOW + 61 * DAY_MS, keeps: 'authority' },
    { why: 'another name', kept: made, names: ['other.fleet.svc'], now: NOW, keeps: 'authority' },
    {
      why: 'a key of another',
      kept: { ...made, 'tls.key': made['ca.key'] },
      names: NAMES,
      now: NOW,
      keeps: 'authority',
    },
    { why: 'what is no PEM', kept: { ...made, 'tls.crt': 'x' }, names: NAMES, now: NOW, keeps: 'authority' },
    { why: 'no key of the authority', kept: without(made, 'ca.key'), names: NAMES, now: NOW, keeps: 'nothing' },
    { why: 'an old authority', kept: made, names: NAMES, now: NOW + 3_000 * DAY_MS, keeps: 'nothing' },
  ]) {
    test(why, () => {
      const next = renewedCertificate(kept, { names, now });
      assert.equal(next['tls.crt'] === kept['tls.crt'], keeps === 'all');
      assert.equal(next['ca.crt'] === kept['ca.crt'], keeps !== 'nothing');
      if (keeps === 'all') assert.equal(next, kept);
      // The new one is valid: nothing is rewritten again and again.
      assert.equal(renewedCertificate(next, { names, now }), next);
    });
  }
});

function without(certificate: OwnCertificate, key: keyof OwnCertificate): Partial<OwnCertificate> {
  return Object.fromEntries(Object.entries(certificate).filter(([name]) => name !== key));
}
