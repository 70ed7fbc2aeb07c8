import assert from 'node:assert/strict';
import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import { FakeClock } from '#testing/fake-clock';
import { FILE_MS } from '#testing/patience';
import { assertNowhere } from '../../testing/assert-nowhere.ts';
import { bearer, call } from '../../testing/call.ts';
import { type IdentityServer, startIdentityServer } from '../../testing/identity-server.ts';
import { leaveAdminCode, offerFirstAdminLogin } from '../index.ts';

const signal = AbortSignal.timeout(FILE_MS);
const ACCOUNTS = '/v1/workspaces/web/service-accounts';
const ME = 'GET /v1/access/identity';

eachDatabase('sessions', (fresh) => {
  const clock = new FakeClock();
  let database: TestDatabase;
  let running: IdentityServer;
  before(async () => {
    database = await fresh();
    running = await startIdentityServer(database, { clock, sleep: clock.sleep });
  });
  after(async () => {
    await running.close();
    await database.dispose();
  });
  const ask = (what: string, options: Parameters<typeof call>[2] = {}) => call(running.server, what, options);

  describe('one-time login', () => {
    const offer = async (terminal: { write(text: string): void } | undefined) =>
      await offerFirstAdminLogin(
        { storage: running.storage, clock, terminal, dataFolder: running.dataFolder, loginUrl: `${running.url}/login` },
        signal,
      );
    const redeem = async (code: string, kind = 'cli') =>
      await ask('POST /v1/login:redeem', { body: { code, kind }, headers: {} });

    it('is left in a private file where there is no terminal, and offered anew when it was never used', async () => {
      const file = join(running.dataFolder, 'admin-login-code');
      assert.deepEqual(await offer(undefined), { kind: 'file', file });
      assert.equal(statSync(file).mode & 0o777, 0o600);
      const code = readFileSync(file, 'utf8').trim();
      await assertNowhere(running.storage, code);
      await clock.advance(3_600_000);
      assert.equal((await redeem(code)).status, 401, 'it ends by itself');
    });

    it('is offered to a terminal on the first start, works once, and is not offered again', async () => {
      let told = '';
      assert.deepEqual(await offer({ write: (text) => (told += text) }), { kind: 'printed' });
      const code = /^ {2}(\S+)$/m.exec(told)?.[1] ?? '';
      assert.match(code, /^([0-9A-HJKMNP-TV-Z]{5}-){4}[0-9A-HJKMNP-TV-Z]{5}$/);
      assert.deepEqual(await offer(undefined), { kind: 'none' }, 'one that still works is enough');
      await assertNowhere(running.storage, code);
      const dry = await ask('POST /v1/login:redeem?dryRun=true', {
        body: { code, kind: 'cli' },
        headers: {},
        want: 200,
      });
      assert.equal(dry.body.token, undefined);
      const first = await redeem(code.toLowerCase().replaceAll('-', ' '));
      assert.equal(first.status, 200);
      assert.deepEqual(first.body.principal, { kind: 'admin', id: 'admin' });
      const me = await ask(ME, { headers: bearer(first.body.token), want: 200 });
      assert.equal(me.body.kind, 'admin');
      const second = await redeem(code);
      assert.deepEqual([second.status, second.body.code], [401, 'loginCodeRefused']);
      await clock.advance(3_600_000);
      assert.equal((await ask(ME, { headers: bearer(first.body.token) })).status, 401, 'for an hour');
      assert.deepEqual(await offer(undefined), { kind: 'none' }, 'somebody has been in');
    });

    it('works for one of those who show it at the same moment', async () => {
      const { code } = leaveAdminCode(running.dataFolder, clock.now());
      const answers = await Promise.all(Array.from({ length: 5 }, () => redeem(code)));
      assert.deepEqual(
        answers.map(({ status }) => status).sort((a, b) => a - b),
        [200, 401, 401, 401, 401],
      );
    });

    it('can be made again by whoever may write into the data folder', async () => {
      const { code } = leaveAdminCode(running.dataFolder, clock.now());
      const file = join(running.dataFolder, 'admin-login.json');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      assert.ok(!readFileSync(file, 'utf8').includes(code));
      const kept = readFileSync(file, 'utf8');
      assert.equal((await redeem('00000-00000-00000-00000-00000')).status, 401);
      assert.equal((await redeem(code)).status, 200);
      assert.equal(statSync(file, { throwIfNoEntry: false }), undefined, 'it is removed once it was used');
      writeFileSync(file, kept, { mode: 0o600 });
      assert.equal((await redeem(code)).status, 401, 'and does not come back');
      const late = leaveAdminCode(running.dataFolder, clock.now());
      await clock.advance(3_600_000);
      assert.equal((await redeem(late.code)).status, 401, 'it ends by itself');
    });

    it('is not taken from a file that others may write', async () => {
      const { code } = leaveAdminCode(running.dataFolder, clock.now());
      const file = join(running.dataFolder, 'admin-login.json');
      chmodSync(file, 0o666);
      assert.equal((await redeem(code)).status, 401);
      chmodSync(file, 0o600);
      assert.equal((await redeem(code)).status, 200);
    });
  });

  describe('sessions', () => {
    const browser = () => ({ host: new URL(running.url).host, origin: running.url, 'x-fleetshift-csrf': '1' });
    const loggedIn = async () => {
      const { code } = leaveAdminCode(running.dataFolder, clock.now());
      const body = { code, kind: 'browser' };
      const { headers } = await ask('POST /v1/login:redeem', { body, headers: browser(), want: 200 });
      const cookie = String(headers['set-cookie']);
      assert.match(cookie, /^fleetshift-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Max-Age=86400$/);
      return { ...browser(), cookie: cookie.split(';')[0] ?? '' };
    };

    it('know their own, and end one of them', async () => {
      const [one, two] = [await loggedIn(), await loggedIn()];
      const listed = await ask('GET /v1/sessions', { headers: one, want: 200 });
      const current = listed.body.items.filter((session: { current: boolean }) => session.current);
      assert.equal(current.length, 1);
      const other = await ask('GET /v1/sessions', { headers: two });
      const { uid } = other.body.items.find((session: { current: boolean }) => session.current);
      await ask(`DELETE /v1/sessions/${uid}`, { headers: one, want: 204 });
      assert.deepEqual(
        [(await ask(ME, { headers: two })).status, (await ask(ME, { headers: one })).status],
        [401, 200],
      );
      await ask(`DELETE /v1/sessions/${uid}`, { headers: one, want: 404 });
    });

    it('end with a logout, at once', async () => {
      const headers = await loggedIn();
      await ask(ME, { headers, want: 200 });
      const out = await ask('POST /v1/logout', { headers, want: 204 });
      assert.match(String(out.headers['set-cookie']), /^fleetshift-session=; .*Max-Age=0$/);
      assert.equal((await ask(ME, { headers })).status, 401);
      const token = await ask('POST /v1/logout', { want: 404 });
      assert.equal(token.body.code, 'sessionNotFound', 'a token of automation is no session');
    });

    it('slide with use, and end when they are not used or have lasted long enough', async () => {
      const used = await loggedIn();
      const hour = 3_600_000;
      for (let hours = 0; hours < 21; hours += 7) {
        await clock.advance(7 * hour);
        assert.equal((await ask(ME, { headers: used })).status, 200, `after ${hours + 7} hours`);
      }
      await clock.advance(3 * hour);
      assert.equal((await ask(ME, { headers: used })).status, 401, 'after a day');
      const idle = await loggedIn();
      await clock.advance(8 * hour);
      assert.equal((await ask(ME, { headers: idle })).status, 401, 'unused for eight hours');
    });

    it('change nothing for a page of somebody else’s', async () => {
      const headers = await loggedIn();
      for (const [why, changed] of Object.entries({
        'another origin': { ...headers, origin: 'https://evil.example' },
        'no header of ours': { ...headers, 'x-fleetshift-csrf': undefined },
        'no origin': { ...headers, origin: undefined },
      })) {
        const sent = Object.fromEntries(Object.entries(changed).filter(([, value]) => value !== undefined));
        const { status, body } = await ask('POST /v1/logout', { headers: sent as Record<string, string> });
        assert.deepEqual([status, body.code], [403, 'originRefused'], why);
      }
      assert.equal((await ask(ME, { headers: { ...headers, host: 'evil.example' } })).status, 401, 'by another name');
      assert.equal((await ask(ME, { headers })).status, 200);
    });

    it('are not opened for a page of somebody else’s', async () => {
      const { code } = leaveAdminCode(running.dataFolder, clock.now());
      const headers = { ...browser(), origin: 'https://evil.example' };
      await ask('POST /v1/login:redeem', { body: { code, kind: 'browser' }, headers, want: 403 });
    });

    it('have secrets that are kept nowhere', async () => {
      const { cookie } = await loggedIn();
      await ask(`POST ${ACCOUNTS}`, { body: { name: 'ci' }, want: 201 });
      const { token } = (await ask(`POST ${ACCOUNTS}/ci/tokens`, { body: {}, want: 201 })).body;
      await assertNowhere(running.storage, cookie.split('=')[1] ?? '');
      await assertNowhere(running.storage, token.slice(21));
      const logged = JSON.stringify(running.log.lines);
      for (const secret of [cookie.split('=')[1] ?? '', token.slice(21)]) assert.ok(!logged.includes(secret));
    });
  });
});
