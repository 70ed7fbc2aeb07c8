import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { get as httpGet, type IncomingMessage } from 'node:http';
import { get as httpsGet } from 'node:https';
import { connect } from 'node:net';
import type { Container, Probe } from './pod.ts';

export interface ProbeTarget {
  readonly container: Container;
  readonly podIp: string;
  readonly env: NodeJS.ProcessEnv;
}

/** Whether a container passes, by the rules of a kubelet: a status from 200 to 399, an open port, or exit code 0. */
export async function probeContainer(probe: Probe, target: ProbeTarget, signal: AbortSignal): Promise<boolean> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout((probe.timeoutSeconds ?? 1) * 1_000)]);
  try {
    if (probe.httpGet) return await answersWell(probe.httpGet, target, limit);
    if (probe.tcpSocket) return await isOpen(portOf(target.container, probe.tcpSocket.port), target.podIp, limit);
    if (probe.exec) return await exitsWell(probe.exec.command ?? [], target, limit);
    return true;
  } catch {
    return false;
  }
}

async function answersWell(
  get: NonNullable<Probe['httpGet']>,
  target: ProbeTarget,
  signal: AbortSignal,
): Promise<boolean> {
  const options = {
    host: target.podIp,
    port: portOf(target.container, get.port),
    path: get.path ?? '/',
    headers: Object.fromEntries((get.httpHeaders ?? []).map(({ name, value }) => [name, value])),
    signal,
    agent: false as const,
    // A kubelet does not verify the certificate either.
    rejectUnauthorized: false,
  };
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    (get.scheme === 'HTTPS' ? httpsGet : httpGet)(options, resolve).on('error', reject);
  });
  answer.destroy();
  const { statusCode = 0 } = answer;
  return statusCode >= 200 && statusCode < 400;
}

async function isOpen(port: number, host: string, signal: AbortSignal): Promise<boolean> {
  const socket = connect(port, host);
  try {
    await once(socket, 'connect', { signal });
    return true;
  } finally {
    socket.destroy();
  }
}

async function exitsWell(
  [program = '', ...args]: readonly string[],
  { env }: ProbeTarget,
  signal: AbortSignal,
): Promise<boolean> {
  return await new Promise((resolve) => {
    execFile(program, args, { env, signal }, (error) => resolve(error === null));
  });
}

function portOf({ ports = [] }: Container, wanted: number | string): number {
  return typeof wanted === 'number'
    ? wanted
    : (ports.find(({ name }) => name === wanted)?.containerPort ?? Number(wanted));
}
