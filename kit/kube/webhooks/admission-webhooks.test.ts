import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FleetError } from '#kit/std';
import type { AdmissionRequest } from './admission-request.ts';
import { mutatingWebhook, validatingWebhook } from './admission-webhooks.ts';
import { admissionReviewOf, type Widget, widget } from './testing/reviews.ts';
import { allow, change, deny, type MutatingVerdict, patch } from './verdict.ts';

const signal = new AbortController().signal;

class Known extends FleetError {
  get entry() {
    return { category: 'internal', retry: 'never' } as const;
  }
}

async function respond(handle: (request: AdmissionRequest<Widget>) => MutatingVerdict<Widget>, request: object = {}) {
  const panics: unknown[] = [];
  const webhook = mutatingWebhook<Widget>({ path: '/x', mutate: handle });
  const body = JSON.stringify(admissionReviewOf(request));
  const answer = await webhook.answer(body, { signal, onPanic: (error) => panics.push(error) });
  const review = JSON.parse(JSON.stringify(answer));
  assert.equal(review.apiVersion, 'admission.k8s.io/v1');
  assert.equal(review.kind, 'AdmissionReview');
  assert.equal(review.response.uid, 'review-1');
  return { response: review.response, panics };
}

function operations(response: { patch: string; patchType: string }): unknown {
  assert.equal(response.patchType, 'JSONPatch');
  return JSON.parse(Buffer.from(response.patch, 'base64').toString());
}

test('a handler sees who wants what', async () => {
  let seen: AdmissionRequest<Widget> | undefined;
  await respond((request) => {
    seen = request;
    return allow();
  });
  assert.deepEqual(seen, {
    uid: 'review-1',
    operation: 'CREATE',
    kind: { group: 'example.io', version: 'v1', kind: 'Widget' },
    resource: { group: 'example.io', version: 'v1', resource: 'widgets' },
    name: 'lamp',
    namespace: 'one',
    user: { username: 'mary', groups: ['painters'] },
    dryRun: false,
    object: widget(),
    options: { apiVersion: 'meta.k8s.io/v1', kind: 'CreateOptions' },
  });
});

test('a deletion has an old object only, and no name may be known yet', async () => {
  const { response } = await respond(
    (request) => {
      assert.ok(!('object' in request) && !('name' in request) && !('namespace' in request));
      assert.deepEqual(request.oldObject, widget());
      return allow();
    },
    { operation: 'DELETE', object: null, oldObject: widget(), name: '', namespace: undefined },
  );
  assert.deepEqual(response, { uid: 'review-1', allowed: true });
});

for (const { why, verdict, want } of [
  { why: 'allowed, and nothing else', verdict: allow(), want: { allowed: true } },
  {
    why: 'allowed with a warning and a word for the audit log',
    verdict: allow({ warnings: ['red is deprecated'], auditAnnotations: { color: 'red' } }),
    want: { allowed: true, warnings: ['red is deprecated'], auditAnnotations: { color: 'red' } },
  },
  {
    why: 'denied is forbidden',
    verdict: deny('no red here'),
    want: { allowed: false, status: { status: 'Failure', message: 'no red here', reason: 'Forbidden', code: 403 } },
  },
  {
    why: 'denied for faults is invalid, with the fields as Kubernetes names them',
    verdict: deny('wrong', { faults: [{ path: '/spec/parts/0/a~1b', message: 'is odd' }] }),
    want: {
      allowed: false,
      status: {
        status: 'Failure',
        message: 'wrong',
        reason: 'Invalid',
        code: 422,
        details: { causes: [{ reason: 'FieldValueInvalid', message: 'is odd', field: 'spec.parts[0].a/b' }] },
      },
    },
  },
  {
    why: 'denied in words of its own',
    verdict: deny('busy', { code: 409, reason: 'Conflict', warnings: ['look'] }),
    want: {
      allowed: false,
      status: { status: 'Failure', message: 'busy', reason: 'Conflict', code: 409 },
      warnings: ['look'],
    },
  },
  { why: 'an empty patch is none', verdict: patch([]), want: { allowed: true } },
  { why: 'a change to the same is none', verdict: change(widget()), want: { allowed: true } },
]) {
  test(why, async () => {
    const { response } = await respond(() => verdict);
    assert.deepEqual(response, { uid: 'review-1', ...want });
  });
}

test('a changed object becomes a patch of what changed; what JSON leaves out is no change', async () => {
  const { response } = await respond(({ object = widget() }) =>
    change({ ...object, spec: { ...object.spec, parts: ['bulb'], size: undefined } as Widget['spec'] }),
  );
  assert.deepEqual(operations(response), [{ op: 'add', path: '/spec/parts', value: ['bulb'] }]);
});

test('an object that was changed in place becomes the same patch', async () => {
  const { response } = await respond(({ object = widget() }) => {
    (object.spec as { color?: string }).color = 'green';
    return change(object);
  });
  assert.deepEqual(operations(response), [{ op: 'replace', path: '/spec/color', value: 'green' }]);
});

test('a patch that was given goes out as it is', async () => {
  const given = [{ op: 'test', path: '/spec/color', value: 'red' } as const];
  const { response } = await respond(() => patch(given, { warnings: ['hm'] }));
  assert.deepEqual(operations(response), given);
  assert.deepEqual(response.warnings, ['hm']);
});

test('a handler that throws denies, is reported, and shows nothing that nobody wrote for people', async () => {
  const { response, panics } = await respond(() => {
    throw new TypeError('x of undefined');
  });
  assert.equal(response.allowed, false);
  assert.equal(response.status.code, 500);
  assert.ok(!response.status.message.includes('undefined'));
  assert.equal(panics.length, 1);
});

test('an error of ours says what it says', async () => {
  const { response } = await respond(() => {
    throw new Known('BUSY', 'count the widgets of mary');
  });
  assert.match(response.status.message, /count the widgets of mary$/);
});

const review = admissionReviewOf();
for (const { why, body } of [
  { why: 'no JSON', body: '{' },
  { why: 'no object', body: '[]' },
  { why: 'null', body: 'null' },
  { why: 'another kind', body: JSON.stringify({ ...review, kind: 'ConversionReview' }) },
  { why: 'an old version', body: JSON.stringify({ ...review, apiVersion: 'admission.k8s.io/v1beta1' }) },
  { why: 'no request', body: JSON.stringify({ ...review, request: null }) },
  { why: 'no uid', body: JSON.stringify(admissionReviewOf({ uid: '' })) },
  { why: 'an operation that nobody knows', body: JSON.stringify(admissionReviewOf({ operation: 'PATCH' })) },
  { why: 'no kind', body: JSON.stringify(admissionReviewOf({ kind: undefined })) },
  { why: 'no resource', body: JSON.stringify(admissionReviewOf({ resource: 'widgets' })) },
  { why: 'a name that is no text', body: JSON.stringify(admissionReviewOf({ name: 7 })) },
  { why: 'an object that is none', body: JSON.stringify(admissionReviewOf({ object: [] })) },
  { why: 'an object of no kind', body: JSON.stringify(admissionReviewOf({ object: { metadata: {} } })) },
]) {
  test(`malformed: ${why}`, async () => {
    const webhook = validatingWebhook({ path: '/x', validate: () => allow() });
    await assert.rejects(webhook.answer(body, { signal, onPanic: () => {} }), { code: 'MALFORMED_REVIEW' });
  });
}
