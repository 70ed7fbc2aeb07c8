import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { FakeClock } from '#testing/fake-clock';
import { HttpError } from '../errors/http-error.ts';
import type { Principal } from '../ports.ts';
import { MemoryLog } from '../testing/test-server.ts';
import { type EndCause, OpenStreams } from './open-streams.ts';

const ALICE: Principal = { kind: 'user', id: 'alice' };
const SECOND_MS = 1_000;
const CONFIRM_MS = 30_000;

function setUp(t: TestContext) {
  const clock = new FakeClock();
  const world = {
    /** The principals by token. */
    known: new Map<string, Principal>([['a', ALICE]]),
    /** The answers of the authenticator and the authorizer. */
    authenticate: (bearer = ''): Promise<Principal | undefined> => Promise.resolve(world.known.get(bearer)),
    isAllowed: (): Promise<boolean> => Promise.resolve(true),
    asked: 0,
  };
  const authenticator = {
    authenticate: ({ bearer }: { readonly bearer: string | undefined }) => {
      world.asked += 1;
      return world.authenticate(bearer);
    },
  };
  const streams = new OpenStreams({ authenticator, log: new MemoryLog(), clock, sleep: clock.sleep });
  const over = new AbortController();
  const running = streams.run(over.signal);
  t.after(async () => {
    over.abort();
    await running;
  });
  const ended: EndCause[] = [];
  const open = async ({ bearer = 'a', since = streams.changes, principal = ALICE } = {}) =>
    await streams.add(
      {
        kind: 'watch',
        credentials: { bearer, headers: {}, method: 'GET', address: '::1' },
        principal,
        isAllowed: () => world.isAllowed(),
        end: ({ cause }) => void ended.push(cause),
      },
      since,
    );
  return { clock, world, streams, ended, open };
}

const away = (): Promise<never> => Promise.reject(new Error('the database is away'));

describe('an open stream', () => {
  for (const { why, change, cause } of [
    { why: 'its credentials were revoked', cause: 'credentialsEnded', change: ({ known }: World) => known.clear() },
    {
      why: 'its credentials stand for another now',
      cause: 'credentialsEnded',
      change: ({ known }: World) => void known.set('a', { kind: 'user', id: 'bob' }),
    },
    {
      why: 'its permission was taken away',
      cause: 'permissionLost',
      change: (world: World) => void (world.isAllowed = async () => false),
    },
    {
      why: 'what it is about is hidden',
      cause: 'permissionLost',
      change: (world: World) =>
        void (world.isAllowed = () => Promise.reject(new HttpError('ROUTE_NOT_FOUND', 'nothing there'))),
    },
    {
      why: 'nobody can tell after a change',
      cause: 'notConfirmed',
      change: (world: World) => void (world.authenticate = away),
    },
  ] as const) {
    it(`is closed before a change has settled, when ${why}`, async (t) => {
      const { world, streams, ended, open } = setUp(t);
      await open();
      change(world);
      streams.changed();
      await streams.settled();
      assert.deepEqual([ended, streams.size], [[cause], 0]);
    });
  }

  it('goes on when the change was about others', async (t) => {
    const { streams, ended, open } = setUp(t);
    const forget = await open();
    streams.changed();
    await streams.settled();
    assert.deepEqual([ended, streams.size], [[], 1]);
    forget();
    assert.equal(streams.size, 0);
  });

  it('is asked about at once, when something changed while its caller was admitted', async (t) => {
    const { world, streams, ended, open } = setUp(t);
    const since = streams.changes;
    world.known.clear();
    streams.changed();
    await open({ since });
    assert.deepEqual(ended, ['credentialsEnded']);
  });

  it('is asked about once more, when something changes while it is asked about', async (t) => {
    const { world, streams, ended, open } = setUp(t);
    await open();
    const gate = Promise.withResolvers<Principal>();
    world.authenticate = () => gate.promise;
    streams.changed();
    world.authenticate = async () => undefined;
    streams.changed();
    const settled = streams.settled();
    gate.resolve(ALICE);
    await settled;
    assert.deepEqual(ended, ['credentialsEnded']);
  });

  it('costs one look at its token, however many were opened with it', async (t) => {
    const { world, streams, open } = setUp(t);
    for (let count = 0; count < 50; count += 1) await open();
    streams.changed();
    await streams.settled();
    assert.equal(world.asked, 1);
  });

  it('ends when its credentials expire, without any change', async (t) => {
    const { clock, world, ended, open } = setUp(t);
    const until = clock.now() + 10 * SECOND_MS;
    await open({ principal: { ...ALICE, until } });
    world.authenticate = async () => (clock.now() < until ? { ...ALICE, until } : undefined);
    await clock.advance(9 * SECOND_MS);
    assert.deepEqual(ended, []);
    await clock.advance(SECOND_MS);
    assert.deepEqual(ended, ['credentialsEnded']);
  });

  it('ends sooner when a change brought the end of its credentials forward', async (t) => {
    const { clock, world, streams, ended, open } = setUp(t);
    await open();
    const until = clock.now() + 2 * SECOND_MS;
    world.authenticate = async () => (clock.now() < until ? { ...ALICE, until } : undefined);
    streams.changed();
    await streams.settled();
    assert.deepEqual(ended, []);
    await clock.advance(2 * SECOND_MS);
    assert.deepEqual(ended, ['credentialsEnded']);
  });

  it('ends though the word of the change was lost', async (t) => {
    const { clock, world, ended, open } = setUp(t);
    await open();
    world.known.clear();
    await clock.advance(CONFIRM_MS);
    assert.deepEqual(ended, ['credentialsEnded']);
  });

  it('outlives a database that is away for a moment, and not one that stays away', async (t) => {
    const { clock, world, ended, open } = setUp(t);
    await open();
    const { authenticate } = world;
    world.authenticate = away;
    await clock.advance(CONFIRM_MS);
    world.authenticate = authenticate;
    await clock.advance(CONFIRM_MS);
    world.authenticate = away;
    await clock.advance(CONFIRM_MS);
    assert.deepEqual(ended, []);
    await clock.advance(CONFIRM_MS);
    assert.deepEqual(ended, ['notConfirmed']);
  });

  it('ends after a day, whatever is allowed', async (t) => {
    const { clock, ended, open } = setUp(t);
    await open();
    clock.set(clock.now() + 86_400_000 - 2 * SECOND_MS);
    await clock.advance(SECOND_MS);
    assert.deepEqual(ended, []);
    await clock.advance(SECOND_MS);
    assert.deepEqual(ended, ['tooOld']);
  });
});

type World = ReturnType<typeof setUp>['world'];
