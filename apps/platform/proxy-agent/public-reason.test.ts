import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { KUBE_ERRORS, KubeError, type KubeErrorCode } from '#kit/kube';
import { publicReason } from './public-reason.ts';

const CODES = Object.keys(KUBE_ERRORS) as KubeErrorCode[];
const QUOTED = 'root:x:0:0';

describe('what users learn of a cluster that cannot be served', () => {
  for (const code of CODES.filter((each) => each !== 'ADDRESS_REFUSED')) {
    it(`${code} is told in our own words`, () => {
      const reason = publicReason(new KubeError(code, `get namespaces/kube-system: ${QUOTED}`));
      assert.ok(reason !== '' && !reason.includes(QUOTED));
    });
  }

  it('an address that is not dialled is named', () => {
    assert.match(publicReason(new KubeError('ADDRESS_REFUSED', 'connect to 10.0.0.1: private')), /10\.0\.0\.1/);
  });

  it('of other failures nothing is told', () => {
    assert.ok(!publicReason(new Error(QUOTED)).includes(QUOTED));
  });
});
