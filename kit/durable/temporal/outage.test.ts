import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { isOutage } from './outage.ts';

const DESCRIBED = 'Namespace nope was not found or otherwise could not be described';

const rows = [
  {
    why: 'nothing listens',
    message: 'tonic::transport::Error(Transport, ConnectError(tcp connect error))',
    want: true,
  },
  { why: 'a proxy answers', message: `${DESCRIBED}: Status { code: Unavailable, message: "no upstream" }`, want: true },
  { why: 'no namespace', message: `${DESCRIBED}: Status { code: NotFound, message: "it is not found" }`, want: false },
  { why: 'no rights', message: `${DESCRIBED}: Status { code: PermissionDenied, message: "no" }`, want: false },
];

suite('a transport error of Temporal', () => {
  for (const { why, message, want } of rows) {
    test(`${want ? 'may pass' : 'will not pass'}: ${why}`, () => {
      assert.equal(isOutage(Object.assign(new Error(message), { name: 'TransportError' })), want);
      assert.equal(isOutage(new Error(message)), false, 'of another kind');
    });
  }
});
