import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';

// DECISION: below the range that the kernel uses for outgoing connections. Otherwise a server that restarts on its port
// would sometimes find it taken, by a connection of another test.
const LOWEST = 16_000;
const HIGHEST = 32_000;
const ATTEMPTS = 50;

/** Free loopback ports. All are held until the last one is found, so that they differ. */
export async function freePorts(count: number): Promise<number[]> {
  const probes: Server[] = [];
  try {
    for (let attempt = 0; probes.length < count; attempt += 1) {
      if (attempt === ATTEMPTS + count) throw new Error(`find ${count} free ports: of those tried, too many are taken`);
      const probe = await probePort(randomInt(LOWEST, HIGHEST));
      if (probe) probes.push(probe);
    }
    return probes.map(portOf);
  } finally {
    await Promise.all(probes.map((probe) => once(probe.close(), 'close')));
  }
}

async function probePort(port: number): Promise<Server | undefined> {
  const probe = createServer().listen(port, '127.0.0.1');
  try {
    await once(probe, 'listening');
    return probe;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') return undefined;
    throw error;
  }
}

function portOf(probe: Server): number {
  const address = probe.address();
  if (address === null || typeof address === 'string') throw new Error('find a free port: the probe has no port');
  return address.port;
}
