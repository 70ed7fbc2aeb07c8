import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type TObject, type TSchema, Type } from 'typebox';
import { AS_ALICE, testServer } from '../testing/test-server.ts';
import { ok } from './answer.ts';
import { defineRoute } from './define-route.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const Optional = Type.Object({ message: Type.Optional(Type.String()) });
const Required = Type.Object({ message: Type.String() });

const REFUSED = 'refused';

function routeWith(body: TSchema) {
  return defineRoute({
    method: 'POST',
    path: '/v1/it:approve',
    operationId: 'approveIt',
    summary: 'Approve it',
    permission: 'x.approve',
    readOnly: true,
    schema: { body, responses: { 200: Type.Unknown() } },
    handler: async (request) => ok(request.body),
  });
}

describe('a body of which nothing is required', () => {
  const cases: { why: string; body: TSchema; headers?: object; payload?: string; want: unknown }[] = [
    { why: 'left out, it is empty', body: Optional, want: {} },
    { why: 'of no bytes, it is left out', body: Optional, headers: JSON_TYPE, payload: '', want: {} },
    {
      why: 'sent, it is what was sent',
      body: Optional,
      headers: JSON_TYPE,
      payload: '{"message":"x"}',
      want: { message: 'x' },
    },
    { why: 'null is something, and no object', body: Optional, headers: JSON_TYPE, payload: 'null', want: REFUSED },
    { why: 'sent, it is validated', body: Optional, headers: JSON_TYPE, payload: '{"message":1}', want: REFUSED },
    { why: 'what is required cannot be left out', body: Required, want: REFUSED },
    { why: 'nor can it be of no bytes', body: Required, headers: JSON_TYPE, payload: '', want: REFUSED },
    {
      why: 'what must have some field cannot be left out, whichever it is',
      body: Type.Object(Optional.properties, { minProperties: 1 }),
      want: REFUSED,
    },
  ];
  for (const { why, body, headers, payload, want } of cases) {
    it(why, async () => {
      const { server } = await testServer([routeWith(body)]);
      const request = { method: 'POST', url: '/v1/it:approve', headers: { ...AS_ALICE, ...headers } } as const;
      const answer = await server.inject({ ...request, ...(payload === undefined ? {} : { payload }) });
      await server.close(1000);
      assert.equal(answer.statusCode, want === REFUSED ? 400 : 200, answer.body);
      if (want !== REFUSED) assert.deepEqual(answer.json(), want);
    });
  }

  it('is described as such', async () => {
    const named = (body: TObject) => Type.Object(body.properties, { title: 'Approval' });
    for (const [body, required] of [
      [Optional, false],
      [named(Optional), false],
      [Required, true],
      [named(Required), true],
    ] as const) {
      const { server } = await testServer([routeWith(body)]);
      const { paths } = server.openapi() as { paths: Record<string, { post: { requestBody: { required: boolean } } }> };
      await server.close(1000);
      assert.equal(paths['/v1/it:approve']?.post.requestBody.required, required);
    }
  });
});
