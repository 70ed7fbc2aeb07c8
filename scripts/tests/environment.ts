import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { cacheFolder, hasGo, TEST_CACHE } from '../../testing/go-program.ts';
import { withOurPrograms } from '../run-command.ts';

/**
 * The environment of test processes. Nothing of the caller's comes through but this, so that a test means the same on every
 * machine: whose home it is, what is set there and where the checkout lies decide nothing.
 */
const ALLOWED = [
  'PATH',
  'LANG',
  'LC_ALL',
  'TZ',
  'USER',
  'LOGNAME',
  'CI',
  'CHROMIUM',
  'KUBEBUILDER_ASSETS',
  'FLEETSHIFT_POSTGRES_BIN',
  'npm_config_registry',
  'npm_config_cafile',
  'SSL_CERT_FILE',
  'NODE_EXTRA_CA_CERTS',
];
const ALLOWED_FAMILIES = /^(FLEETSHIFT_TEST_|GO[A-Z]+$|CGO_)/;
const GO_PLACES = ['GOPATH', 'GOCACHE', 'GOMODCACHE', 'GOENV'];

export function testEnvironment(caller: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const allowed = Object.entries(caller).filter(([name]) => ALLOWED.includes(name) || ALLOWED_FAMILIES.test(name));
  return withOurPrograms({
    ...goPlaces(caller),
    ...Object.fromEntries(allowed),
    // Caches of what is slow to make. They hold programs and packages, nothing that a test reads as a setting.
    [TEST_CACHE]: cacheFolder(caller),
    NODE_COMPILE_CACHE: caller['NODE_COMPILE_CACHE'] ?? cacheFolder(caller, 'compiled'),
    npm_config_cache: caller['npm_config_cache'] ?? join(homedir(), '.npm'),
    npm_config_update_notifier: 'false',
  });
}

export interface JobFolders {
  /** Where the process starts: an empty folder that is not the checkout. */
  readonly work: string;
  readonly home: string;
}

export function makeJobFolders(run: string, job: number): JobFolders {
  const work = join(run, String(job), 'work');
  const home = join(run, String(job), 'home');
  for (const folder of [work, home]) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return { work, home };
}

/** Go keeps its caches in the user's home unless it is told where they are. */
function goPlaces(caller: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  if (!hasGo(caller)) return {};
  const answer = execFileSync('go', ['env', '-json', ...GO_PLACES], { encoding: 'utf8', env: caller });
  return JSON.parse(answer) as NodeJS.ProcessEnv;
}
