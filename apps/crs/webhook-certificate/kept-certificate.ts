import { CORE, isKubeError, type KubeClient, type KubeObject, type Resource } from '#kit/kube';
import { type OwnCertificate, renewedCertificate } from './own-certificate.ts';

export interface KeptCertificateOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Name of the Secret. */
  readonly name: string;
  readonly names: readonly string[];
  /** Name of the mutating and the validating webhook configuration. */
  readonly configuration: string;
}

interface SecretObject extends KubeObject {
  readonly type?: string;
  readonly data?: Readonly<Record<string, string>>;
}

interface WebhookConfiguration extends KubeObject {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig?: { readonly caBundle?: string } }[];
}

const KEYS = ['ca.crt', 'ca.key', 'tls.crt', 'tls.key'] as const;
const CONFIGURATIONS = [
  configuration('mutatingwebhookconfigurations', 'MutatingWebhookConfiguration'),
  configuration('validatingwebhookconfigurations', 'ValidatingWebhookConfiguration'),
];
const TRIES = 5;

/**
 * The certificate in the Secret, created or renewed if needed. Several processes may do so at once: one write wins, and
 * the others use its result.
 */
export async function keptCertificate(
  options: KeptCertificateOptions,
  now: number,
  signal: AbortSignal,
): Promise<OwnCertificate> {
  for (let attempt = 1; ; attempt += 1) {
    const secret = await readSecret(options, signal);
    const kept = contentOf(secret);
    const wanted = renewedCertificate(kept, { names: options.names, now });
    if (wanted === kept) return wanted;
    try {
      await writeSecret(options, secret, wanted, signal);
      return wanted;
    } catch (error) {
      if (!isKubeError(error, 'CONFLICT', 'ALREADY_EXISTS') || attempt >= TRIES) throw error;
    }
  }
}

/** Writes the CA into every webhook of the configurations that does not have it. Missing configurations are skipped. */
export async function tellAuthority(
  { client, configuration: name }: KeptCertificateOptions,
  authority: string,
  signal: AbortSignal,
): Promise<boolean> {
  const caBundle = Buffer.from(authority).toString('base64');
  let hasWritten = false;
  for (const resource of CONFIGURATIONS) {
    const ref = { resource, name };
    const found = await ifThere(() => client.get<WebhookConfiguration>(ref, signal));
    const patch = (found?.webhooks ?? []).flatMap(({ name: webhook, clientConfig }, index) =>
      clientConfig?.caBundle === caBundle
        ? []
        : [
            // Fails if the order of the webhooks changed meanwhile.
            { op: 'test', path: `/webhooks/${index}/name`, value: webhook },
            { op: 'add', path: `/webhooks/${index}/clientConfig/caBundle`, value: caBundle },
          ],
    );
    if (patch.length === 0) continue;
    await client.patch(ref, { type: 'json', patch }, {}, signal);
    hasWritten = true;
  }
  return hasWritten;
}

async function readSecret(
  { client, namespace, name }: KeptCertificateOptions,
  signal: AbortSignal,
): Promise<SecretObject | undefined> {
  return await ifThere(() => client.get<SecretObject>({ resource: CORE.secrets, namespace, name }, signal));
}

async function writeSecret(
  { client, namespace, name }: KeptCertificateOptions,
  before: SecretObject | undefined,
  content: OwnCertificate,
  signal: AbortSignal,
): Promise<void> {
  const ref = { resource: CORE.secrets, namespace };
  const own = Object.fromEntries(KEYS.map((key) => [key, Buffer.from(content[key]).toString('base64')]));
  if (before) {
    await client.replace({ ...ref, name }, { ...before, data: { ...before.data, ...own } }, {}, signal);
    return;
  }
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace }, type: 'Opaque', data: own };
  await client.create<SecretObject>(ref, secret, {}, signal);
}

function contentOf(secret: SecretObject | undefined): Partial<OwnCertificate> {
  const present = KEYS.flatMap((key) => {
    const value = secret?.data?.[key];
    return value === undefined ? [] : [[key, Buffer.from(value, 'base64').toString('utf8')] as const];
  });
  return Object.fromEntries(present);
}

async function ifThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isKubeError(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}

function configuration(plural: string, kind: string): Resource {
  return { group: 'admissionregistration.k8s.io', version: 'v1', plural, kind, namespaced: false };
}
