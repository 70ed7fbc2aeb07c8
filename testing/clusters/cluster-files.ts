import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  issueClientPair,
  issueServerPair,
  type KeyPair,
  makeAuthority,
  makeSigningKeys,
} from './certificate-authority.ts';
import { clientConfig } from './kubeconfig.ts';

/** A cluster's files on disk: its authority, certificates and tokens, and files derived from them. */
export class ClusterFiles {
  readonly folder: string;
  readonly server: string;

  constructor(folder: string, server: string) {
    this.folder = folder;
    this.server = server;
  }

  path(name: string): string {
    return join(this.folder, name);
  }

  read(name: string): string {
    return readFileSync(this.path(name), 'utf8');
  }

  get authority(): KeyPair {
    return { cert: this.read('ca.crt'), key: this.read('ca.key') };
  }

  get adminToken(): string {
    return this.read('admin-token');
  }

  /** Creates every file that the cluster's programs need. */
  make(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
    const authority = makeAuthority();
    this.#writePair('ca', authority);
    this.renewServerPair();
    this.#writePair('kubelet', issueServerPair(authority, ['127.0.0.1', 'localhost']));
    this.#writePair('kubelet-client', issueClientPair(authority, 'kube-apiserver-kubelet-client', ['system:masters']));
    this.write('audit-policy.json', JSON.stringify(AUDIT_POLICY));
    const signing = makeSigningKeys();
    this.write('service-accounts.key', signing.privateKey);
    this.write('service-accounts.pub', signing.publicKey);
    const token = randomBytes(16).toString('hex');
    this.write('admin-token', token);
    this.write('tokens.csv', `${token},admin,admin,"system:masters"\n`);
    const config = clientConfig({ server: this.server, ca: authority.cert, user: 'admin', credentials: { token } });
    this.write('admin.kubeconfig', config);
  }

  /** A running API server loads the new certificate by itself. */
  renewServerPair(): void {
    this.#writePair('server', issueServerPair(this.authority, SERVER_NAMES));
  }

  write(name: string, text: string): string {
    writeFileSync(this.path(name), text, { mode: 0o600 });
    return this.path(name);
  }

  #writePair(name: string, { cert, key }: KeyPair): void {
    this.write(`${name}.crt`, cert);
    this.write(`${name}.key`, key);
  }
}

/** The API server writes the requests of users in this group to its audit log, once they are complete. */
export const AUDITED = 'testing:audited';
const AUDIT_POLICY = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived', 'ResponseStarted'],
  rules: [{ level: 'Request', userGroups: [AUDITED] }, { level: 'None' }],
};

const SERVER_NAMES = [
  '127.0.0.1',
  'localhost',
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  '10.0.0.1',
];
