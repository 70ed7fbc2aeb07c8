import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { eventually } from '../../kit/durable/testing/eventually.ts';
import { EXIT } from './command.ts';
import { adminToken, type RunningPlatform, runCommand, startPlatform } from './testing/processes.ts';
import { seedWorkflows } from './testing/seed-workflows.ts';

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`;

describe('fleetshift workflow', () => {
  let data: string;
  let platform: RunningPlatform;
  let http: string;
  let https: string;
  before(async () => {
    data = await mkdtemp(join(tmpdir(), 'fleetshift-workflow-'));
    await seedWorkflows(data);
    platform = await startPlatform('errands', data);
    [http, https] = platform.addresses;
    await eventually('each at rest', async () => {
      const [{ out }, retrying] = [await workflow('list'), await workflow('show', 'retrying')];
      return /done .*completed/.test(out) && /lost .*parked/.test(out) && /attempt 2/.test(retrying.out);
    });
  });
  after(async () => {
    await platform.stop();
    await rm(data, { recursive: true, force: true });
  });

  const workflow = (...args: string[]) => runCommand(['workflow', ...args, '--server', http, '--data', data]);
  const shows = async (args: readonly string[], ...patterns: readonly string[]): Promise<void> => {
    const { code, out, err } = await workflow(...args);
    assert.deepEqual([code, err], [EXIT.ok, '']);
    for (const pattern of patterns) assert.match(out, new RegExp(pattern, 'm'));
  };

  it('lists what there is, for people and for programs', async () => {
    await shows(
      ['list'],
      '^ID +WORKFLOW +STATUS +STARTED +ENDED +REASON$',
      `^done +errand +completed +${TIME} +${TIME}$`,
      `^failed +stumble +failed +${TIME} +${TIME} +RangeError: slipped on it$`,
      `^lost +forgotten +parked +${TIME} +- +WORKFLOW_UNKNOWN: `,
    );
    const { out } = await workflow('list', '--status', 'parked', '-o', 'json');
    const { items } = JSON.parse(out) as { items: { id: string }[] };
    assert.deepEqual(
      items.map(({ id }) => id),
      ['lost'],
    );
    await shows(['list', '--name', 'nap', '--output=yaml'], '^items:$', '^ {2}- id: napping$');
    const few = await workflow('list', '--limit', '2');
    assert.deepEqual(
      [few.out.trim().split('\n').length, few.err],
      [3, 'there are more; --limit 20 shows more of them\n'],
    );
    assert.deepEqual(await workflow('list', '--name', 'nothing'), { code: EXIT.ok, out: '', err: 'no workflows\n' });
  });

  it('shows what one waits for and what lets it go on', async () => {
    await shows(
      ['show', 'retrying'],
      `it succeeds: attempt 2 starts ${TIME} .*; the last error was SoldOut: moonlight is sold out$`,
    );
    await shows(['show', 'napping'], `timer .* the timer fires: ${TIME} \\(in \\d+m\\)$`);
    await shows(['show', 'listening'], 'signal +word .* it receives the signal "word"$');
    await shows(['show', 'parent'], 'child +listener .* the child ends');
    await shows(['show', 'lost'], '^Reason +WORKFLOW_UNKNOWN: no workflow forgotten', '^It is parked: ');
  });

  it('shows what happened', async () => {
    await shows(
      ['show', 'done', '--history'],
      '^Result +\\{"bought":\\["one pear","one plum"\\]\\}$',
      '^STEP +KIND +NAME +INPUT +RESULT +TIME$',
      `^2 +activity +buy +\\{"thing":"plum"\\} +"one plum" +${TIME}$`,
    );
    const { out } = await workflow('show', 'done', '--history', '-o', 'json');
    const { id, history } = JSON.parse(out) as { id: string; history: { step: number }[] };
    assert.deepEqual([id, history.map(({ step }) => step)], ['done', [1, 2]]);
  });

  it('steers, and asks first when told to', async () => {
    const dry = await workflow('cancel', 'napping', '--dry-run');
    assert.deepEqual(dry, { code: EXIT.ok, out: '', err: 'napping: the cancel can be done\n' });
    assert.equal((await workflow('pause', 'napping')).code, EXIT.ok);
    await eventually('the pause', async () => /^Status +paused$/m.test((await workflow('show', 'napping')).out));
    assert.equal((await workflow('resume', 'napping')).code, EXIT.ok);
    assert.equal((await workflow('cancel', 'napping', '--reason', 'enough slept')).code, EXIT.ok);
    await eventually('the cancel', async () =>
      /^Reason +WORKFLOW_CANCELLED: enough slept$/m.test((await workflow('show', 'napping')).out),
    );
  });

  it('ends with a code that a script can tell apart, and one sentence', async () => {
    const wrong = join(data, 'wrong-token');
    await writeFile(wrong, 'fst_somebody-elses-token-that-is-long-enough\n');
    const rows: { args: string[]; code: number; err: RegExp }[] = [
      { args: ['show', 'nobody'], code: EXIT.notFound, err: /^fleetshift workflow: no workflow nobody\n$/ },
      { args: ['cancel', 'done'], code: EXIT.conflict, err: /workflow done has ended/ },
      { args: ['list', '--token-file', wrong], code: EXIT.denied, err: /credentials are unknown/ },
      { args: ['cancel', 'parent', '--reason', 'a\nb'], code: EXIT.usage, err: /\n {2}\/reason: / },
      { args: ['list', '--status', 'open'], code: EXIT.usage, err: /--status: "open" is not one of running/ },
      { args: ['list', '--stauts', 'open'], code: EXIT.usage, err: /did you mean --status\?/ },
      { args: ['list', '--history'], code: EXIT.usage, err: /--history: no such setting/ },
      { args: ['show'], code: EXIT.usage, err: /ID is missing/ },
      { args: ['show', 'a', 'b'], code: EXIT.usage, err: /unexpected argument "b"/ },
      { args: ['shwo', 'a'], code: EXIT.usage, err: /did you mean show\?/ },
    ];
    for (const { args, code, err } of rows) {
      const ended = await workflow(...args);
      assert.deepEqual([ended.code, ended.out], [code, ''], args.join(' '));
      assert.match(ended.err, err);
    }
  });

  it('takes the server and the token from the environment, and trusts who it is told to', async () => {
    const token = { FLEETSHIFT_SERVER: https, FLEETSHIFT_TOKEN_FILE: join(data, 'admin-token') };
    const distrusted = await runCommand(['workflow', 'list'], token);
    assert.equal(distrusted.code, EXIT.failure);
    assert.match(distrusted.err, /--ca-file/);
    const trusted = await runCommand(['workflow', 'list'], {
      ...token,
      FLEETSHIFT_CA_FILE: join(data, 'tls', 'ca.crt'),
    });
    assert.deepEqual([trusted.code, trusted.err], [EXIT.ok, '']);
    // Settings of the platform in the environment do not interfere.
    const beside = await runCommand(['workflow', 'list', '--server', http], {
      FLEETSHIFT_DATA: data,
      FLEETSHIFT_LISTEN: 'x',
    });
    assert.deepEqual([beside.code, beside.err], [EXIT.ok, '']);
  });

  it('says what to do when nothing is there', async () => {
    const { code, err } = await runCommand(['workflow', 'list', '--server', 'http://127.0.0.1:1', '--data', data]);
    assert.equal(code, EXIT.unavailable);
    assert.match(err, /connection refused; start a platform with "fleetshift serve"/);
  });
});

describe('the platform as it is shipped', () => {
  it('parks what it does not know, and says so', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'fleetshift-workflow-'));
    t.after(() => rm(data, { recursive: true, force: true }));
    await seedWorkflows(data);
    const platform = await startPlatform('product', data, adminToken(data));
    t.after(() => platform.stop());
    await eventually('all parked', async () => {
      const { out } = await runCommand(['workflow', 'list', '--server', platform.addresses[0], '--data', data]);
      return out.match(/ parked .*WORKFLOW_UNKNOWN/g)?.length === 7;
    });
  });

  it('does not start on a Temporal that is not there, and says why', async (t) => {
    const data = await mkdtemp(join(tmpdir(), 'fleetshift-workflow-'));
    t.after(() => rm(data, { recursive: true, force: true }));
    const args = ['serve', '--data', data, '--listen', '127.0.0.1:0', '--tls-listen', 'none'];
    const { code, err } = await runCommand([...args, '--durable', 'temporal://127.0.0.1:1/default']);
    assert.equal(code, EXIT.failure);
    // When the package of the engine is not installed, the message contains the command that installs it.
    assert.match(err, /^fleetshift serve: (load Temporal's SDK: .*npm install --prefix|.*127\.0\.0\.1:1)/);
  });
});
