import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpError } from './errors/http-error.ts';
import { etagOf, IfMatch, noneMatchHits } from './etag.ts';

const thing = { uid: '0198b6f2-5d0e-7c31-9a7e-1f2d3c4b5a69', version: 7 };
const TAG = '7-1f2d3c4b5a69';

describe('etags', () => {
  it('differ by version and by uid', () => {
    assert.equal(etagOf(thing), TAG);
    assert.notEqual(etagOf({ ...thing, version: 8 }), TAG);
    assert.notEqual(etagOf({ ...thing, uid: '0198b6f2-5d0e-7c31-9a7e-1f2d3c4b5a70' }), TAG);
  });

  for (const { header, matches, why } of [
    { why: 'without the header everything goes', header: undefined, matches: true },
    { why: 'the current tag', header: `"${TAG}"`, matches: true },
    { why: 'another tag', header: '"6-1f2d3c4b5a69"', matches: false },
    { why: 'any of a list', header: `"x", "${TAG}"`, matches: true },
    { why: 'none of a list', header: '"x","y"', matches: false },
    { why: 'a weak one never', header: `W/"${TAG}"`, matches: false },
    { why: 'a weak one beside a strong one', header: `W/"x", "${TAG}"`, matches: true },
    { why: 'anything that exists', header: ' * ', matches: true },
    { why: 'the empty tag', header: '""', matches: false },
  ]) {
    it(`If-Match: ${why}`, () => {
      const check = (): void => IfMatch.parse(header).check(thing);
      if (matches) check();
      else assert.throws(check, (error) => error instanceof HttpError && error.code === 'PRECONDITION_FAILED');
    });
  }

  it('If-Match on what does not exist fails, also with *', () => {
    for (const header of ['*', `"${TAG}"`]) assert.throws(() => IfMatch.parse(header).check(undefined), HttpError);
    IfMatch.parse(undefined).check(undefined);
  });

  it('says the current tag to whoever had another', () => {
    assert.throws(
      () => IfMatch.parse('"x"').check(thing),
      (error) => error instanceof HttpError && error.details['currentEtag'] === TAG,
    );
  });

  for (const header of [TAG, '"a" "b"', '"a",', '"a"b', 'w/"a"', '*, "a"']) {
    it(`If-Match that cannot be read is refused: ${header}`, () => {
      assert.throws(
        () => IfMatch.parse(header),
        (error) => error instanceof HttpError && error.faults[0]?.path === 'header/if-match',
      );
    });
  }

  it('If-None-Match compares weakly, and what it cannot read does not match', () => {
    for (const header of [`"${TAG}"`, `W/"${TAG}"`, `"x", W/"${TAG}"`, '*'])
      assert.ok(noneMatchHits(header, TAG), header);
    for (const header of [undefined, '"x"', TAG, '']) assert.ok(!noneMatchHits(header, TAG), `${header}`);
  });
});
