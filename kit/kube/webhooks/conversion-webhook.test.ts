import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../client/kube-object.ts';
import { conversionWebhook } from './conversion-webhook.ts';
import { conversionReviewOf, widget } from './testing/reviews.ts';

const signal = new AbortController().signal;

async function convert(body: object | string, handle: (object: KubeObject, desired: string) => KubeObject) {
  const webhook = conversionWebhook({ path: '/convert', convert: handle });
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const panics: unknown[] = [];
  const answer = await webhook.answer(text, { signal, onPanic: (error) => panics.push(error) });
  const review = JSON.parse(JSON.stringify(answer));
  assert.equal(review.kind, 'ConversionReview');
  assert.equal(review.apiVersion, 'apiextensions.k8s.io/v1');
  assert.equal(review.response.uid, 'review-2');
  return { response: review.response, panics };
}

const plain = (object: KubeObject, apiVersion: string): KubeObject => ({ ...object, apiVersion });

test('objects come back in their order and in the version asked for; those that have it are left alone', async () => {
  const done = { ...widget(), apiVersion: 'example.io/v2' };
  let calls = 0;
  const { response } = await convert(conversionReviewOf([widget(), done]), (object, desired) => {
    calls += 1;
    return plain(object, desired);
  });
  assert.deepEqual(response.result, { status: 'Success' });
  assert.deepEqual(response.convertedObjects, [done, done]);
  assert.equal(calls, 1);
});

for (const { why, handle } of [
  { why: 'the version is not the one asked for', handle: (object: KubeObject) => object },
  { why: 'the kind is another', handle: (object: KubeObject, v: string) => ({ ...plain(object, v), kind: 'Gadget' }) },
  {
    why: 'the name is another',
    handle: (object: KubeObject, v: string) => ({ ...plain(object, v), metadata: { ...object.metadata, name: 'x' } }),
  },
  {
    why: 'the uid is gone',
    handle: (object: KubeObject, v: string) => ({ ...plain(object, v), metadata: { name: 'lamp', namespace: 'one' } }),
  },
  {
    why: 'the handler throws',
    handle: () => {
      throw new TypeError('x of undefined');
    },
  },
]) {
  test(`a conversion fails when ${why}`, async () => {
    const { response, panics } = await convert(conversionReviewOf([widget()]), handle);
    assert.equal(response.result.status, 'Failure');
    assert.deepEqual(response.convertedObjects, []);
    assert.ok(!response.result.message.includes('of undefined'));
    assert.equal(panics.length, 1);
  });
}

for (const { why, body } of [
  { why: 'no list', body: { ...conversionReviewOf([]), request: { uid: 'u', desiredAPIVersion: 'x/v1' } } },
  { why: 'an item that is no object', body: conversionReviewOf([7]) },
  { why: 'an item of no kind', body: conversionReviewOf([{ apiVersion: 'x/v1' }]) },
  { why: 'no JSON', body: '{' },
  { why: 'no JSON, with a long number', body: '{"a": 12345678901234567890' },
  {
    why: 'a number that we cannot keep',
    body: JSON.stringify(conversionReviewOf([widget()])).replace('"red"', '9007199254740993'),
  },
]) {
  test(`malformed: ${why}`, async () => {
    await assert.rejects(convert(body, plain), { code: 'MALFORMED_REVIEW' });
  });
}

test('long digits that are no whole number are no matter', async () => {
  for (const color of ['"12345678901234567890"', '0.12345678901234567', '9007199254740991']) {
    const body = JSON.stringify(conversionReviewOf([widget()])).replace('"red"', color);
    const { response } = await convert(body, plain);
    assert.equal(response.convertedObjects[0].spec.color, JSON.parse(color));
  }
});
