import { isIP } from 'node:net';
import { BadValue, boolean, type Kind, path, type Settings } from '#kit/config';
import type { TemporalTls } from '#kit/durable/temporal';
import { Secret } from '#kit/std';
import { PlatformError } from '../platform-error.ts';
import { parseCertificate, parsePrivateKey, readIfThere, unusable } from '../tls/read-pem.ts';
import type { DurableChoice } from './durable-kind.ts';

export const serverName: Kind<string> = {
  placeholder: 'NAME',
  expects: 'a host name or an IP address',
  parse(text) {
    const isName = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?(\.[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?)*$/i.test(
      text,
    );
    if (!isName && isIP(text) === 0) throw new BadValue(`is not ${this.expects}`);
    return text;
  },
  print: (value) => value,
};

/** How the platform connects to the Temporal server of `--durable`. The files are read at the start. */
export const TEMPORAL_SETTINGS = {
  'temporal-tls': {
    kind: boolean(),
    default: 'false',
    sentence:
      'Connect to the Temporal server of --durable over TLS. The other --temporal settings imply it. Its certificate is checked with the authorities of the system, unless --temporal-ca is given.',
    group: 'Data',
  },
  'temporal-ca': {
    kind: path(),
    unset: 'the authorities of the system',
    sentence: "Authorities in PEM that the Temporal server's certificate is checked with.",
    group: 'Data',
  },
  'temporal-cert': {
    kind: path(),
    unset: 'none',
    sentence: 'Client certificate in PEM for the Temporal server.',
    group: 'Data',
  },
  'temporal-key': {
    kind: path(),
    unset: 'none',
    sentence: 'Private key of --temporal-cert, in PEM.',
    group: 'Data',
  },
  'temporal-server-name': {
    kind: serverName,
    unset: 'the host in --durable',
    sentence: "The name in the Temporal server's certificate.",
    group: 'Data',
  },
  'temporal-api-key-file': {
    kind: path(),
    unset: 'none',
    sentence: 'File with an API key for the Temporal server, on its first line. It is sent with every call.',
    group: 'Data',
  },
} as const satisfies Settings;

export interface TemporalConfig {
  readonly durable: DurableChoice;
  readonly temporalTls: boolean;
  readonly temporalCa: string | undefined;
  readonly temporalCert: string | undefined;
  readonly temporalKey: string | undefined;
  readonly temporalServerName: string | undefined;
  readonly temporalApiKeyFile: string | undefined;
}

export function checkTemporal(
  config: TemporalConfig,
  refuse: (name: keyof typeof TEMPORAL_SETTINGS, why: string) => void,
): void {
  const { durable, temporalCert, temporalKey } = config;
  if (temporalCert !== undefined && temporalKey === undefined)
    refuse('temporal-cert', 'is given without --temporal-key');
  if (temporalKey !== undefined && temporalCert === undefined)
    refuse('temporal-key', 'is given without --temporal-cert');
  if (durable.engine === 'temporal') return;
  for (const name of settingsIn(config)) refuse(name, 'needs --durable temporal://host:port/namespace');
}

function settingsIn(config: TemporalConfig): (keyof typeof TEMPORAL_SETTINGS)[] {
  const { temporalTls, temporalCa, temporalCert, temporalKey, temporalServerName, temporalApiKeyFile } = config;
  const given = {
    'temporal-tls': temporalTls,
    'temporal-ca': temporalCa,
    'temporal-cert': temporalCert,
    'temporal-key': temporalKey,
    'temporal-server-name': temporalServerName,
    'temporal-api-key-file': temporalApiKeyFile,
  } as const satisfies Record<keyof typeof TEMPORAL_SETTINGS, unknown>;
  const names = Object.keys(given) as (keyof typeof TEMPORAL_SETTINGS)[];
  return names.filter((name) => given[name] !== undefined && given[name] !== false);
}

export interface TemporalCredentials {
  readonly tls?: TemporalTls;
  readonly apiKey?: Secret<string>;
}

/** Reads the files. A fault names the setting and the file, and nothing of a key. */
export function readTemporalCredentials(config: TemporalConfig): TemporalCredentials {
  if (settingsIn(config).length === 0) return {};
  const { temporalCa: ca, temporalServerName: serverName, temporalApiKeyFile: apiKeyFile } = config;
  return {
    tls: {
      ...(ca !== undefined && { ca: Buffer.from(readCertificate(ca, '--temporal-ca')) }),
      ...readClientCertificate(config),
      ...(serverName !== undefined && { serverName }),
    },
    ...(apiKeyFile !== undefined && { apiKey: readApiKey(apiKeyFile) }),
  };
}

function readClientCertificate({ temporalCert, temporalKey }: TemporalConfig): Pick<TemporalTls, 'certificate'> {
  if (temporalCert === undefined || temporalKey === undefined) return {};
  const cert = readCertificate(temporalCert, '--temporal-cert');
  const key = read(temporalKey, '--temporal-key');
  const isItsKey = parseCertificate(cert, '--temporal-cert').checkPrivateKey(
    parsePrivateKey(key, `--temporal-key ${temporalKey}`),
  );
  if (!isItsKey) throw unusable(`--temporal-key ${temporalKey} is not the key of --temporal-cert ${temporalCert}`);
  return { certificate: { cert: Buffer.from(cert), key: Buffer.from(key) } };
}

function readCertificate(file: string, flag: string): string {
  const text = read(file, flag);
  parseCertificate(text, `${flag} ${file}`);
  return text;
}

function read(file: string, flag: string): string {
  const content = readIfThere(file);
  if (content === undefined) throw unusable(`${flag} ${file} does not exist`);
  return content;
}

function readApiKey(file: string): Secret<string> {
  const [line = ''] = (readIfThere(file) ?? '').split(/\r?\n/, 1);
  if (/^[\x21-\x7e]+$/.test(line)) return new Secret(line);
  throw new PlatformError('API_KEY_UNUSABLE', `--temporal-api-key-file ${file} has no API key on its first line`);
}
