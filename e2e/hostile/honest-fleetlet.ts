import { generateKeyPairSync } from 'node:crypto';
import { CHANNEL_METHOD } from '#contexts/channels/adapters';
import { createSigningRequest } from '#kit/pki';
import { Secret } from '#kit/std';
import { createGrpcTransport } from '#kit/transport/grpc';
import type { Platform } from '#testing/platform-process';
import { decodeFrame, encodeFrame } from '../../contexts/channels/adapters/frame-codec.ts';
import { anOpen } from '../../contexts/channels/testing/recorded-link.ts';

export const FLEETLET_FLAGS = ['--fleetlet-listen', '127.0.0.1:0'];

/** A fleetlet that enrolled properly. */
export interface HonestFleetlet {
  readonly host: string;
  readonly port: number;
  /** The platform's own authority, in PEM. */
  readonly authority: string;
  /** Connects and opens a stream. Returns the kind of the first frame, with the reason if it is a close. */
  connect(signal: AbortSignal): Promise<string>;
}

export async function honestFleetlet(platform: Platform): Promise<HonestFleetlet> {
  const made = await platform.request('/v1/workspaces/root/bootstrap-tokens', { method: 'POST', body: {} });
  const { token } = (await made.json()) as { token: string };
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const csr = createSigningRequest(privateKey, 'honest');
  const answer = await platform.request('/v1/enroll', { method: 'POST', body: { token, csr } });
  if (!answer.ok) throw new Error(`enrol: ${answer.status} ${await answer.text()}`);
  const { certificate, serverCa, endpoints } = (await answer.json()) as {
    certificate: string;
    serverCa: string;
    endpoints: { grpc: string };
  };
  const [host = '', port = ''] = endpoints.grpc.split(':');
  const key = new Secret(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const tls = { credentials: () => ({ trust: { only: [serverCa] }, certificate: { cert: certificate, key } }) };
  const to = { host, port: Number(port) };
  const transport = createGrpcTransport({ to, path: CHANNEL_METHOD, tls, connectWithinMs: 60_000 });
  const connect = async (signal: AbortSignal): Promise<string> => {
    const connection = await transport.connect(signal);
    const answered = Promise.withResolvers<string>();
    const stream = connection.open({
      frame: (bytes) => {
        const frame = decodeFrame(bytes);
        if (frame === undefined) return;
        answered.resolve(frame.kind === 'close' ? `close: ${frame.reason}, ${frame.message}` : frame.kind);
      },
      room: () => {},
      closed: (error) => answered.reject(error ?? new Error('closed without an answer')),
    });
    stream.send(encodeFrame(anOpen({ channel: 'control', session: 'honest' })));
    try {
      return await answered.promise;
    } finally {
      await connection.close();
    }
  };
  return { ...to, authority: serverCa, connect };
}
