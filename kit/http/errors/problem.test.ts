import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type CatalogueEntry, ERROR_CATEGORIES, FleetError } from '#kit/std';
import { catalogueMatchesReadme } from '#testing/catalogue-drift';
import { HTTP_ERRORS, HttpError } from './http-error.ts';
import { problemHeaders, statusOf, toProblem, wireCode } from './problem.ts';
import { translateError } from './translate-error.ts';

const context = { instance: '/v1/things/a', requestId: 'r1' };

class TestError extends FleetError {
  readonly entry: CatalogueEntry;

  constructor(entry: CatalogueEntry, options = {}) {
    super('NAME_TAKEN', 'There is one already. Choose another name.', options);
    this.entry = entry;
  }
}

describe('problem documents', () => {
  it('the README lists the codes of the catalogue', () => {
    catalogueMatchesReadme({ catalogue: HTTP_ERRORS, readme: new URL('../README.md', import.meta.url) });
  });

  it('carry the code in lowerCamelCase', () => {
    assert.equal(wireCode('NAME_TAKEN'), 'nameTaken');
    assert.equal(wireCode('CLOSED'), 'closed');
    assert.equal(wireCode('A_2_B'), 'a2B');
  });

  it('have a status for every category', () => {
    const statuses = ERROR_CATEGORIES.map((category) => [
      category,
      statusOf(new TestError({ category, retry: 'never' })),
    ]);
    assert.deepEqual(Object.fromEntries(statuses), {
      invalid: 400,
      unauthenticated: 401,
      forbidden: 403,
      'not-found': 404,
      conflict: 409,
      precondition: 412,
      exhausted: 507,
      unavailable: 503,
      timeout: 504,
      internal: 500,
    });
    assert.equal(statusOf(new TestError({ category: 'exhausted', retry: 'later' })), 429);
  });

  it('show what was written for people, and the details and faults', () => {
    const error = new TestError(
      { category: 'conflict', retry: 'after-change' },
      { details: { name: 'a', status: 200, code: 'mine' }, faults: [{ path: '/name', message: 'is taken' }] },
    );
    assert.deepEqual(toProblem(error, context), {
      type: 'urn:problem:nameTaken',
      title: 'Conflict',
      status: 409,
      detail: 'There is one already. Choose another name.',
      code: 'nameTaken',
      instance: '/v1/things/a',
      requestId: 'r1',
      name: 'a',
      faults: [{ path: '/name', message: 'is taken' }],
    });
  });

  it('show nothing of an internal error but where to look for it', () => {
    const secret = { details: { password: 'x' }, faults: [{ path: '/x', message: 'y' }], cause: new Error('z') };
    const problem = toProblem(new TestError({ category: 'internal', retry: 'never' }, secret), context);
    assert.deepEqual(Object.keys(problem).sort(), [
      'code',
      'detail',
      'instance',
      'requestId',
      'status',
      'title',
      'type',
    ]);
    assert.match(problem.detail, /r1/);
  });

  it('say when to come back', () => {
    assert.equal(problemHeaders(new TestError({ category: 'unavailable', retry: 'later' }))['retry-after'], '1');
    assert.equal(problemHeaders(new TestError({ category: 'unavailable', retry: 'never' }))['retry-after'], undefined);
    const limited = new HttpError('RATE_LIMITED', 'Wait.', { headers: { 'retry-after': '30' } });
    assert.equal(problemHeaders(limited)['retry-after'], '30');
  });

  it('are made of anything that was thrown', () => {
    const conflict = new TestError({ category: 'conflict', retry: 'never' });
    assert.equal(translateError(conflict), conflict);
    const thrown = new RangeError('unexpected');
    assert.equal(translateError(thrown).code, 'INTERNAL_ERROR');
    assert.equal(translateError(thrown).cause, thrown);
    assert.equal(translateError('text').code, 'INTERNAL_ERROR');
    assert.equal(translateError(Object.assign(new Error(), { code: 'FST_ERR_BAD_URL' })).code, 'MALFORMED_REQUEST');
    assert.equal(translateError(Object.assign(new Error(), { code: 'toString' })).code, 'INTERNAL_ERROR');
  });
});
