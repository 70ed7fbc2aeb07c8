import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { STREAM_KINDS } from '#contexts/api-proxy';
import { CREDENTIAL_KINDS } from '#contexts/identity';
import { DATABASES } from '#testing/databases';
import { API_STREAMS, type ClientStream, openStream } from './open-stream.ts';
import { bearer, RevocationWorld, TARGET } from './revocation-world.ts';
import { WAYS, WITHOUT_A_WAY } from './ways.ts';

/** Streams of the REST API, by operation. */
const EVENT_STREAMS: Readonly<Record<string, string>> = { streamEvents: '/v1/events' };

describe('the rows of the matrix', () => {
  it('are all streams that the API proxy knows', () => {
    assert.deepEqual(Object.keys(API_STREAMS).toSorted(), [...STREAM_KINDS].toSorted());
  });

  it('are all credentials that a caller can show, each with a way to lose it', () => {
    const covered = new Set([...WAYS.map(({ credential }) => credential), ...Object.keys(WITHOUT_A_WAY)]);
    assert.deepEqual([...covered].toSorted(), [...CREDENTIAL_KINDS].toSorted());
  });
});

for (const engine of DATABASES) {
  describe(`a stream on ${engine}`, () => {
    let world: RevocationWorld;
    let bystander: ClientStream;
    before(async () => {
      world = await RevocationWorld.open(engine);
      const url = `${world.platform.url}/targets/${TARGET}/api${API_STREAMS.watch.path}&id=bystander`;
      bystander = await openStream(url, bearer(world.platform.token));
    });
    after(() => world.close());

    it('is one of those that the API describes', async () => {
      const { paths } = (await world.admin('GET', '/openapi.json')) as unknown as Described;
      const streams = Object.values(paths)
        .flatMap((methods) => Object.values(methods))
        .filter(({ responses }) => responses?.['200']?.content?.['text/event-stream'] !== undefined)
        .map(({ operationId }) => operationId);
      assert.deepEqual(streams, Object.keys(EVENT_STREAMS));
    });

    for (const [number, way] of WAYS.entries()) {
      it(`is closed before the answer, when ${way.name}`, async () => {
        const caller = await world.caller(way.credential, `caller-${number}`);
        const streams = await world.openAll(caller);
        const events = await Promise.all(
          Object.values(EVENT_STREAMS).map((path) => openStream(`${world.platform.url}${path}`, caller.headers)),
        );
        for (const each of events) await each.until('retry:');

        await way.revoke(world, caller);
        // Anything the cluster sends from now on comes after the answer.
        const held = await Promise.all(streams.map(({ kind }) => world.cluster.held(`${caller.name}-${kind}`)));
        for (const each of held) each.say('after');
        for (const { kind, stream } of streams) {
          await stream.closed;
          assert.ok(!stream.received().includes('after'), `${kind}: ${stream.received()}`);
        }
        await Promise.all(held.map(({ closed }) => closed));
        const watched = streams.find(({ kind }) => kind === 'watch')?.stream.received() ?? '';
        const code = way.takes === 'credentials' ? 401 : 403;
        assert.match(watched, new RegExp(`"type":"ERROR".*"code":${code}`), 'a watch is told why');

        for (const each of events) {
          if (way.takes === 'credentials') {
            await each.closed;
            assert.match(each.received(), /\n: The credentials/, 'an event stream is told why');
          } else await goesOn(each, caller.name);
        }
        await way.undo?.(world);
        if (way !== WAYS.at(-1)) await bystanderGoesOn(number);
      });
    }

    /** Checks that the caller still receives the events it may see, and none of the others. */
    async function goesOn(events: ClientStream, name: string): Promise<void> {
      await world.admin('PATCH', `/v1/workspaces/own-${name}`, { displayName: `seen by ${name}` });
      await events.until(`seen by ${name}`);
      events.close();
    }

    async function bystanderGoesOn(number: number): Promise<void> {
      (await world.cluster.held('bystander')).say(`still here ${number}`);
      await bystander.until(`still here ${number}`);
    }
  });
}

interface Described {
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
}

interface DescribedOperation {
  readonly operationId: string;
  readonly responses?: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}
