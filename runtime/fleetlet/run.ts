import type { LocalAuthenticator, UplinkPace } from '#contexts/channels';
import { printHostPort } from '#kit/config';
import { aborted } from '#kit/std';
import type { Logger } from '#kit/telemetry';
import { processLog, type Surroundings } from '#runtime/process/process-command';
import type { FleetletConfig } from './config.ts';
import type { IdentityKeeper } from './identity/enrolment.ts';
import { type Fleetlet, wireFleetlet } from './wiring.ts';

export interface RunOptions extends Surroundings {
  readonly config: FleetletConfig;
  /** For tests: see `FleetletOptions`. */
  readonly pace?: Partial<UplinkPace>;
  /** See `FleetletOptions`. */
  readonly callers?: LocalAuthenticator;
  /** See `FleetletOptions`. */
  readonly keeper?: IdentityKeeper;
  /** Runs in the same process. It ends before the fleetlet does, and ends the fleetlet if it ends by itself. */
  readonly beside?: (fleetlet: Fleetlet, log: Logger, signal: AbortSignal) => Promise<void>;
}

const CLOSE_MS = 5_000;

/** Runs until the signal aborts; then drains messages already taken and closes everything. */
export async function runFleetlet(options: RunOptions, signal: AbortSignal): Promise<void> {
  const { config, version, environment, err, pace, callers, keeper, beside } = options;
  const log = processLog(config, err);
  const fleetlet = await wireFleetlet(
    { config, environment, log, ...(pace && { pace }), ...(callers && { callers }), ...(keeper && { keeper }) },
    signal,
  );
  const stop = new AbortController();
  try {
    const { socket, tcp, metrics, uid } = fleetlet;
    const address = [`unix:${socket}`, ...(tcp === undefined ? [] : [printHostPort(tcp)])];
    if (metrics !== undefined) log.info({ address: printHostPort(metrics) }, 'metrics');
    log.info({ version, address, subject: `fleetlet/${uid}` }, 'serving');
    const running = fleetlet.run(stop.signal);
    const together = beside?.(fleetlet, log, signal);
    await Promise.race([running, aborted(signal), ...(together === undefined ? [] : [together])]);
    await together;
    await fleetlet.drain(AbortSignal.timeout(config.shutdownTimeout));
    stop.abort();
    await Promise.race([running, aborted(AbortSignal.timeout(CLOSE_MS))]);
  } finally {
    stop.abort();
    await fleetlet.close();
  }
  log.info({}, 'stopped');
}
