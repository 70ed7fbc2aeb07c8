import { generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { createSigningRequest, signCertificateToken } from '#kit/pki';
import { Secret, uuidv7 } from '#kit/std';
import type { Transport } from '#kit/transport';
import { createGrpcTransport } from '#kit/transport/grpc';
import { createWebSocketTransport } from '#kit/transport/websocket';
import type { ServingPlatform } from './serving-platform.ts';

/** The result of enrolling a machine. */
export interface EnrolledFleetlet {
  readonly uid: string;
  readonly name: string;
  readonly key: KeyObject;
  readonly certificate: string;
  readonly serverCa: string;
  readonly endpoints: { readonly grpc: string; readonly websocket: string };
  readonly targets: readonly { readonly uid: string; readonly name: string }[];
}

interface Answer {
  readonly fleetlet: string;
  readonly name: string;
  readonly certificate: string;
  readonly serverCa: string;
  readonly endpoints: EnrolledFleetlet['endpoints'];
  readonly targets: EnrolledFleetlet['targets'];
}

export async function enrolledFleetlet(
  platform: Pick<ServingPlatform, 'call'>,
  names: readonly string[],
  { workspace = 'root', named = false }: { readonly workspace?: string; readonly named?: boolean } = {},
): Promise<EnrolledFleetlet> {
  const path = `/v1/workspaces/${workspace}/bootstrap-tokens`;
  // A target that is already served can only be enrolled with a token that names it.
  const { token } = await platform.call<{ token: string }>('POST', path, named ? { targets: names } : {});
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const targets = names.map((name) => ({ name, type: 'directory' }));
  const body = { token, csr: createSigningRequest(key, 'test'), targets };
  const { fleetlet: uid, ...answer } = await platform.call<Answer>('POST', '/v1/enroll', body);
  return { ...answer, uid, key };
}

/** With a new key, as fleetlets renew. */
export async function renewedFleetlet({ api }: ServingPlatform, before: EnrolledFleetlet): Promise<EnrolledFleetlet> {
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });
  const word = await wordOf(before, '/v1/enroll:renew');
  const answer = await fetch(`${api}/v1/enroll:renew`, {
    method: 'POST',
    headers: { authorization: `Bearer ${word}`, 'content-type': 'application/json' },
    body: JSON.stringify({ csr: createSigningRequest(key, 'test') }),
  });
  const { certificate } = (await answer.json()) as Answer;
  if (!answer.ok) throw new Error(`the renewal was answered with ${answer.status}`);
  return { ...before, key, certificate };
}

type Shown = Pick<EnrolledFleetlet, 'key' | 'certificate' | 'serverCa' | 'endpoints'>;

/** Presents another certificate, or none, if the test says so. */
export function grpcOf({ key, certificate, serverCa, endpoints }: Shown, shows = true): Transport {
  const [host = '', port = ''] = endpoints.grpc.split(':');
  const pem = new Secret(key.export({ type: 'pkcs8', format: 'pem' }).toString());
  return createGrpcTransport({
    to: { host, port: Number(port) },
    path: '/fleetshift.v1.ChannelService/Channel',
    tls: {
      credentials: () => ({
        trust: { only: [serverCa] },
        ...(shows ? { certificate: { cert: certificate, key: pem } } : {}),
      }),
    },
  });
}

export function webSocketOf({ serverCa, endpoints }: Shown): Transport {
  const { hostname: host, port } = new URL(endpoints.websocket);
  return createWebSocketTransport({
    to: { host, port: Number(port) },
    path: '/v1/fleetlet',
    protocol: 'fleetshift.v1',
    tls: { credentials: () => ({ trust: { only: [serverCa] } }) },
  });
}

/** A token signed with the key of the certificate; valid for one stream. */
export async function wordOf({ key, certificate }: Shown, audience = '/v1/fleetlet'): Promise<string> {
  const order = { certificate: new X509Certificate(certificate), key, audience };
  return await signCertificateToken({ ...order, id: uuidv7(), now: Date.now() });
}
