import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { statusError } from './status-error.ts';

describe('statusError', () => {
  const rows = [
    {
      why: 'the reason goes before the number',
      httpStatus: 409,
      body: status('AlreadyExists', 409),
      code: 'ALREADY_EXISTS',
    },
    { why: 'the same number has other reasons', httpStatus: 409, body: status('Conflict', 409), code: 'CONFLICT' },
    { why: 'a watch says 410 inside of 200', httpStatus: 200, body: status('Expired', 410), code: 'EXPIRED' },
    { why: 'older servers call it Gone', httpStatus: 410, body: status('Gone', 410), code: 'EXPIRED' },
    {
      why: 'a reason of tomorrow falls back to its number',
      httpStatus: 403,
      body: status('NotToday', 403),
      code: 'FORBIDDEN',
    },
    { why: 'a proxy answers HTML', httpStatus: 503, body: undefined, code: 'SERVICE_UNAVAILABLE' },
    { why: 'an unknown number of theirs', httpStatus: 599, body: undefined, code: 'SERVER_ERROR' },
    { why: 'an unknown number of ours', httpStatus: 418, body: undefined, code: 'BAD_REQUEST' },
  ];
  for (const { why, httpStatus, body, code } of rows) {
    it(why, () => assert.equal(statusError({ doing: 'do it', httpStatus, body }).code, code));
  }

  it('tells the fields that are wrong', () => {
    const causes = [{ reason: 'FieldValueInvalid', field: 'spec.replicas', message: 'must not be negative' }];
    const { faults, details } = statusError({
      doing: 'do it',
      httpStatus: 422,
      body: { ...status('Invalid', 422), details: { causes } },
    });
    assert.deepEqual(faults, [{ path: '/spec/replicas', message: 'must not be negative' }]);
    assert.equal((details['status'] as { reason: string }).reason, 'Invalid');
  });
});

function status(reason: string, code: number): object {
  return { kind: 'Status', apiVersion: 'v1', status: 'Failure', reason, code, message: 'no' };
}
