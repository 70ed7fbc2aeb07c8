import type { Storage, Transaction } from '#kit/storage';
import type { BootstrapTokenService } from '../application/bootstrap-token-service.ts';
import type { EnrolService } from '../application/enrol-service.ts';
import type { UnitOfWork } from '../application/ports.ts';
import type { CertificateLimits } from '../domain/authority.ts';
import type { FleetletGate } from './fleetlet-gate.ts';
import type { CertificateAuthorities } from './pki/certificate-authorities.ts';
import type { SqlEnrolmentReader } from './sql/sql-enrolment-reader.ts';
import type { Visibility } from './visibility.ts';

/** Where fleetlets find the platform. */
export interface FleetletEndpoints {
  readonly grpc?: string;
  readonly websocket?: string;
}

/** What the routes share. */
export interface EnrolmentParts {
  readonly storage: Storage;
  readonly reader: SqlEnrolmentReader;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly tokens: BootstrapTokenService;
  readonly enrol: EnrolService;
  readonly authorities: CertificateAuthorities;
  readonly gate: FleetletGate;
  readonly limits: CertificateLimits;
  readonly visibility: Visibility;
  /** As whoever asked for `host` reaches it. */
  readonly endpoints: (host: string | undefined) => FleetletEndpoints;
  /** PEM of the authority that vouches for the platform itself, where that is of its own making. */
  readonly serverAuthority: () => string | undefined;
  /** These targets were registered or changed: whoever keeps a copy of the tree is told before the answer goes out. */
  readonly targetsChanged: (names: readonly string[], signal: AbortSignal) => Promise<void>;
  /** Something was committed by which somebody is taken no longer: from here on nobody here takes him. */
  readonly changed: () => void;
}
