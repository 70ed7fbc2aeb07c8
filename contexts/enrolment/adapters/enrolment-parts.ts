import type { Visibility } from '#kit/http';
import type { Storage, Transaction } from '#kit/storage';
import type { BootstrapTokenService } from '../application/bootstrap-token-service.ts';
import type { EnrolService } from '../application/enrol-service.ts';
import type { UnitOfWork } from '../application/ports.ts';
import type { CertificateLimits } from '../domain/authority.ts';
import type { FleetletGate } from './fleetlet-gate.ts';
import type { CertificateAuthorities } from './pki/certificate-authorities.ts';
import type { SqlEnrolmentReader, VisibleSet } from './sql/sql-enrolment-reader.ts';

/** The addresses at which fleetlets connect to the platform. */
/** The endpoints of one replica, and those of the other replicas. */
export interface FleetletEndpoints extends ReplicaEndpoints {
  readonly replicas?: readonly ReplicaEndpoints[];
}

export interface ReplicaEndpoints {
  readonly grpc?: string;
  readonly websocket?: string;
}

/** Shared by the routes of this context. */
export interface EnrolmentParts {
  readonly storage: Storage;
  readonly reader: SqlEnrolmentReader;
  readonly unit: (tx: Transaction) => UnitOfWork;
  readonly tokens: BootstrapTokenService;
  readonly enrol: EnrolService;
  readonly authorities: CertificateAuthorities;
  readonly gate: FleetletGate;
  readonly limits: CertificateLimits;
  readonly visibility: Visibility<VisibleSet>;
  /** The endpoints as reachable for a client that used `host`. */
  readonly endpoints: (host: string | undefined) => FleetletEndpoints;
  /** PEM of the CA of the platform's own certificate, if the platform made that CA itself. */
  readonly serverAuthority: () => string | undefined;
  /**
   * To be called when targets were registered or changed: copies of the tree are updated before the response is sent.
   */
  readonly targetsChanged: (names: readonly string[], signal: AbortSignal) => Promise<void>;
  /** To be called after the commit of a revocation: empties the caches of this process, and notifies the others. */
  readonly changed: () => void;
}
