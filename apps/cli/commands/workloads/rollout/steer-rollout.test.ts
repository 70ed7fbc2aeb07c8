import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { PATIENCE_MS } from '#testing/patience';
import { EXIT } from '../../../command.ts';
import { COMMANDS } from '../../../commands.ts';
import { runCli } from '../../../run-cli.ts';

describe('fleetshift rollout', () => {
  /** `POST /v1/…:verb {…}` of each request. */
  const asked: string[] = [];
  /** The revisions that the server has. */
  let revisions: readonly object[] = [];
  let server: Server;
  before(async () => {
    server = createServer((request, response) => {
      text(request).then(
        (body) => {
          const isRead = request.method === 'GET';
          if (!isRead) asked.push(`${request.method} ${request.url} ${body}`);
          response
            .setHeader('content-type', 'application/json')
            .end(JSON.stringify(isRead ? { items: revisions } : {}));
        },
        () => response.destroy(),
      );
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  after(() => server.close());

  async function rollout(args: readonly string[], answer?: string) {
    asked.length = 0;
    const told = { out: '', err: '' };
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const io = {
      out: (said: string) => void (told.out += said),
      err: (said: string) => void (told.err += said),
      errIsTerminal: false,
      environment: { FLEETSHIFT_SERVER: url, FLEETSHIFT_TOKEN: 'fst_0123456789012345678901234567' },
      ...(answer === undefined ? {} : { ask: async (question: string) => ((told.err += question), answer) }),
    };
    const words = ['rollout', ...args, '-w', 'shop'];
    const code = await runCli(words, { commands: COMMANDS, io }, AbortSignal.timeout(PATIENCE_MS));
    return { code, ...told, asked: [...asked] };
  }

  const WEB = 'POST /v1/workspaces/shop/deployments/web';
  for (const { why, args, answer, code, want, says } of [
    {
      why: 'accept-revision is for all targets that are ahead',
      args: ['accept-revision', 'web', '--yes'],
      code: 0,
      want: [`${WEB}:acceptRevision {}`],
      says: /^deployment\/web continues above the revision that its targets claim\n$/,
    },
    {
      why: 'accept-revision is for those that are named',
      args: ['accept-revision', 'web', 'edge-1', 'edge-2', '--yes'],
      code: 0,
      want: [`${WEB}:acceptRevision {"targets":["edge-1","edge-2"]}`],
      says: /edge-1, edge-2 claim/,
    },
    {
      why: 'accept-revision is asked about first, since it cannot go back',
      args: ['accept-revision', 'web'],
      answer: 'y',
      code: 0,
      want: [`${WEB}:acceptRevision {}`],
      says: /This cannot be undone\. Continue\?/,
    },
    {
      why: 'a no is a no',
      args: ['accept-revision', 'web'],
      answer: 'n',
      code: 1,
      want: [],
      says: /nothing was changed/,
    },
    { why: 'a script has to say yes', args: ['accept-revision', 'web'], code: 2, want: [], says: /add --yes/ },
    {
      why: 'a dry run asks no one',
      args: ['accept-revision', 'web', '--dry-run'],
      code: 0,
      want: [`${WEB}:acceptRevision?dryRun=true {}`],
      says: /dry run/,
    },
    { why: 'it is of a deployment', args: ['accept-revision', '--yes'], code: 2, want: [], says: /NAME/ },
    {
      why: 'an approval overrides nothing by itself',
      args: ['approve', 'web'],
      code: 0,
      want: [`${WEB}:approve {}`],
      says: /approved/,
    },
    {
      why: 'an approval overrides where that is said',
      args: ['approve', 'web', '--override', '--message', 'on call'],
      code: 0,
      want: [`${WEB}:approve {"message":"on call","override":true}`],
      says: /approved/,
    },
    {
      why: 'a rejection overrides nothing',
      args: ['reject', 'web', '--override', '--message', 'no'],
      code: 2,
      want: [],
      says: /--override is only for approve/,
    },
    {
      why: 'a rollback says its revision',
      args: ['rollback', 'web', '--to', '2', '--yes'],
      code: 0,
      want: [`${WEB}:rollback {"revision":2,"paced":false}`],
      says: /rolling back to revision 2/,
    },
  ]) {
    it(why, async () => {
      const { code: ended, asked: sent, out, err } = await rollout(args, answer);
      assert.deepEqual([ended, sent], [code, want], err);
      assert.match(`${err}${out}`, says);
    });
  }

  it('a rollback without a revision goes to the last content that differs and succeeded', async () => {
    revisions = [
      aRevision(6, 'bad', undefined),
      aRevision(5, 'bad', 'Succeeded'),
      aRevision(4, 'worse', 'Superseded'),
      aRevision(3, 'good', 'Succeeded'),
      aRevision(2, 'older', 'Succeeded'),
    ];
    const { asked: sent, out } = await rollout(['rollback', 'web', '--yes']);
    assert.deepEqual(sent, [`${WEB}:rollback {"revision":3,"paced":false}`]);
    assert.match(out, /rolling back to revision 3/);
  });

  for (const { why, of, says } of [
    {
      why: 'all have the same content',
      of: ['Succeeded', 'same'],
      says: /no earlier revision of web has other content/,
    },
    {
      why: 'none with other content succeeded',
      of: ['Aborted', 'other'],
      says: /no earlier revision of web with other/,
    },
  ] as const) {
    it(`a rollback is refused when ${why}`, async () => {
      revisions = [aRevision(2, 'same', undefined), aRevision(1, of[1], of[0])];
      const { code, asked: sent, err } = await rollout(['rollback', 'web', '--yes']);
      assert.deepEqual([code, sent], [EXIT.conflict, []]);
      assert.match(err, says);
      assert.match(err, /fleetshift revisions web -w shop/);
    });
  }
});

function aRevision(revision: number, content: string, outcome: string | undefined): object {
  return {
    revision,
    generation: revision,
    trigger: 'it was changed',
    requestedBy: 'user:ann',
    paced: true,
    contentHash: `sha256:${content}`,
    createTime: '2026-01-01T00:00:00.000Z',
    ...(outcome === undefined ? {} : { endTime: '2026-01-01T00:01:00.000Z', outcome }),
  };
}
