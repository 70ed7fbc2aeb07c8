import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { PATIENCE_MS } from '#testing/patience';
import { platformHome } from '#testing/platform-process';
import { SIMULATED_SOURCES } from '#testing/product';
import { buildPackage } from '../scripts/build-package.ts';
import { buildTemporalPackage } from '../scripts/build-temporal-package.ts';
import { outsideOfNpm } from '../scripts/outside-of-npm.ts';
import { runCommand } from '../scripts/run-command.ts';
import { freshNamespace } from '../testing/temporal/test-namespace.ts';
import { FRONT_NAME, startTlsFront, type TlsFront } from '../testing/temporal/tls-front.ts';
import { deploymentJourney } from './deployment-journey.ts';

const API_KEY = 'an-api-key-that-no-log-may-show';

const found = await freshNamespace();
if (found === undefined) it('installs beside the platform', { skip: 'there is no Go to build a server with' });
else {
  const project = await mkdtemp(join(tmpdir(), 'fleetshift-installed-'));
  const front = await startTlsFront(found.address, project, API_KEY);
  describeInstalled(project, front, `temporal://${front.address}/${found.namespace}`);
}

function describeInstalled(project: string, front: TlsFront, url: string): void {
  const program = pathToFileURL(join(project, 'node_modules/fleetshift/serve-simulated.js'));
  const { ca, cert, key, apiKey } = front.files;
  const trust = ['--temporal-ca', ca, '--temporal-server-name', FRONT_NAME];
  const certificate = ['--temporal-cert', cert, '--temporal-key', key];
  const durable = ['--durable', url];
  const refusal = async (flags: readonly string[]): Promise<string> => {
    const home = await platformHome('sqlite');
    try {
      return (await home.spawn({ program, flags }).ended).said;
    } finally {
      await home.dispose();
    }
  };

  describe('the platform and the engine for Temporal, installed with npm', () => {
    before(async () => {
      await buildPackage(join(project, 'main'), AbortSignal.timeout(PATIENCE_MS), {
        'serve-simulated': fileURLToPath(SIMULATED_SOURCES),
      });
      await buildTemporalPackage(join(project, 'engine'));
      await writeFile(join(project, 'package.json'), '{ "private": true }');
      await npm(project, ['install', await packed(project, 'main')]);
    });
    after(async () => {
      front.close();
      await rm(project, { recursive: true, force: true });
    });

    it('says how to install the engine, where it is missing', async () => {
      const said = await refusal([...durable, '--temporal-tls']);
      const { version } = JSON.parse(await readFile(join(project, 'main/package.json'), 'utf8')) as { version: string };
      assert.ok(said.includes(`npm install --prefix ${project} fleetshift-temporal@${version}`), said);
    });

    it('installs the engine beside the platform', async () => {
      await npm(project, ['install', await packed(project, 'engine')]);
      assert.ok((await readdir(join(project, 'node_modules'))).includes('fleetshift-temporal'));
    });

    for (const { without, flags } of [
      { without: 'TLS', flags: [] },
      { without: 'its authority', flags: [...certificate, '--temporal-api-key-file', apiKey] },
      { without: 'a client certificate', flags: [...trust, '--temporal-api-key-file', apiKey] },
    ]) {
      it(`does not reach a server that demands all of them without ${without}`, async () => {
        const said = await refusal([...durable, ...flags]);
        assert.match(said, /TEMPORAL_UNREACHABLE/);
        assert.ok(!said.includes(API_KEY));
      });
    }

    it('is refused without the API key', async () => {
      const before = front.refused();
      const said = await refusal([...durable, ...trust, ...certificate]);
      assert.match(said, /TEMPORAL_UNREACHABLE/);
      assert.ok(front.refused() > before);
    });

    deploymentJourney('the installed packages and Temporal, over TLS, with a client certificate and an API key', {
      engine: 'sqlite',
      program,
      flags: [...durable, ...trust, ...certificate, '--temporal-api-key-file', apiKey],
    });

    it('ran the workflows there, and sent the key with every call', () => {
      for (const method of [
        'PollWorkflowTaskQueue',
        'RespondActivityTaskCompleted',
        'SignalWithStartWorkflowExecution',
      ]) {
        assert.ok(
          [...front.called].some((path) => path.endsWith(`/${method}`)),
          method,
        );
      }
    });
  });
}

async function packed(project: string, folder: string): Promise<string> {
  const into = await mkdtemp(join(project, 'packed-'));
  await npm(project, ['pack', join(project, folder), '--pack-destination', into]);
  const [file = assert.fail('npm packed nothing')] = await readdir(into);
  return join(into, file);
}

async function npm(project: string, args: readonly string[]): Promise<void> {
  const quiet = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefer-offline', '--loglevel=error'];
  const env = outsideOfNpm(process.env);
  const command = ['npm', ...args, ...quiet];
  const { code, output } = await runCommand(command, { cwd: project, env }, AbortSignal.timeout(PATIENCE_MS));
  assert.equal(code, 0, `${command.join(' ')}: ${output}`);
}
