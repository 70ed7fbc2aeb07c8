import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { CertifiedPeers } from '../testing/certified-peers.ts';
import { fleetletOfCertificate } from './data-certificate.ts';

const UID = '01920000-0000-7000-8000-00000000000a';
const HOUR_MS = 3_600_000;

suite('the certificate of a fleetlet', () => {
  const [ours, others] = [new CertifiedPeers(), new CertifiedPeers()];
  const now = Date.now();

  test('names it', () => {
    assert.equal(fleetletOfCertificate(ours.issue(UID).der, `${others.pem}${ours.pem}`, now), UID);
  });

  for (const { why, der, authorities = ours.pem } of [
    { why: 'of another authority', der: others.issue(UID).der },
    { why: 'while no authority is known', der: ours.issue(UID).der, authorities: '' },
    { why: 'that has expired', der: ours.issue(UID, { notAfter: now - HOUR_MS }).der },
    { why: 'that is of later', der: ours.issue(UID, { notBefore: now + HOUR_MS }).der },
    { why: 'that is of no fleetlet', der: ours.issue('somebody').der },
    { why: 'that is none', der: Buffer.from('none') },
  ]) {
    test(`names nobody ${why}`, () => {
      assert.equal(fleetletOfCertificate(der, authorities, now), undefined);
    });
  }
});
