import { readFileSync } from 'node:fs';
import { helpText, printSettings } from '#kit/config';
import type { Secret } from '#kit/std';
import packageJson from '../../../package.json' with { type: 'json' };
import { DEMO_WORKSPACE } from '../../demo/demo-fleet.ts';
import { demoClusters } from '../../demo/demo-kubernetes.ts';
import { kubernetesFlag } from '../../demo/kubernetes-flag.ts';
import { nextSteps } from '../../demo/next-steps.ts';
import { PLATFORM_SETTINGS, resolvePlatformConfig } from '../../platform/config.ts';
import { type Command, EXIT, type Io } from '../command.ts';
import { withContext } from '../config-file/cli-config.ts';
import { changeConfigFile, configFilePath } from '../config-file/config-file.ts';

const CONTEXT = 'demo';

export const demo: Command = {
  help: () =>
    helpText({
      usage: 'fleetshift demo [--kubernetes [N]] [flags]',
      summary: `Runs a platform with a sample fleet: some folders of this machine, and an application on all of them.
It prints what to do next. Ctrl-C stops it, and the next run continues where it stopped.

With --kubernetes it adds N real control planes, default 2, with simulated nodes and Pods. This needs a checkout
of the sources and the Kubernetes programs that its tests use.`,
      settings: PLATFORM_SETTINGS,
    }),
  async run(words, io, signal) {
    const { count: kubernetes, rest: args } = kubernetesFlag(words);
    const { environment } = io;
    const readText = (path: string) => readFileSync(path, 'utf8');
    const resolved = resolvePlatformConfig({ args, environment, readText });
    if (resolved.values.printConfig) {
      io.out(printSettings(PLATFORM_SETTINGS, resolved));
      return EXIT.ok;
    }
    const [{ runDemo }, { createLogger }] = await Promise.all([
      import('../../demo/run-demo.ts'),
      import('#kit/telemetry'),
    ]);
    const config = resolved.values;
    const err = { write: (line: string) => io.err(line), isTerminal: io.errIsTerminal };
    const pretty = config.logFormat === undefined ? err.isTerminal : config.logFormat === 'pretty';
    const log = createLogger({ level: config.logLevel, destination: err, pretty }).child({ component: 'demo' });
    const terminal = io.outIsTerminal ? { write: (text: string) => io.out(text) } : undefined;
    const program = [process.execPath, ...process.execArgv, process.argv[1] ?? ''];
    await runDemo(
      {
        config,
        version: packageJson.version,
        environment,
        err,
        terminal,
        log,
        program,
        kubernetes,
        onReady: async ({ http, https, authorityFile, token, folder, clusters: found }, stop) => {
          if (http === undefined || token === undefined) return;
          const server = `http://${http.host.includes(':') ? `[${http.host}]` : http.host}:${http.port}`;
          // For kubectl, which sends its credentials over TLS only.
          const ca = authorityFile && { ca: readText(authorityFile) };
          const context = await keepContext(io, { server, token: token.token, ...ca }, stop);
          const command = commandOf(environment);
          const names = demoClusters(kubernetes).map(({ name }) => name);
          const clusters = found && { clusters: { ...found, names, tlsPort: https?.port } };
          const currentFolder = process.cwd();
          io.out(nextSteps({ command, dataFolder: folder.path, context, currentFolder, ...clusters }));
        },
      },
      signal,
    );
    return EXIT.ok;
  },
};

/**
 * Creates a context for the following commands. If another platform is current, it stays current and the context must
 * be named.
 */
async function keepContext(
  io: Io,
  { token, ...where }: { readonly server: string; readonly token: Secret; readonly ca?: string },
  signal: AbortSignal,
): Promise<string | undefined> {
  const credentials = { kind: 'token', token: token.reveal() } as const;
  const context = { name: CONTEXT, ...where, workspace: DEMO_WORKSPACE, credentials };
  return await changeConfigFile(
    configFilePath(io.environment),
    async (config, write) => {
      const { currentContext = CONTEXT } = config;
      write({ ...withContext(config, context), currentContext });
      return currentContext === CONTEXT ? undefined : CONTEXT;
    },
    signal,
  );
}

/** The name of this command here; npm sets a variable in a checkout. */
function commandOf({ npm_lifecycle_event: script }: Readonly<Record<string, string | undefined>>): string {
  return script === 'start' ? 'bin/fleetshift' : 'fleetshift';
}
