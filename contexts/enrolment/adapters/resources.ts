import { etagOf } from '#kit/http';
import type { BootstrapTokenResource, CertificateAuthorityResource, FleetletResource } from '#protocol/api';
import type { Binding } from '../application/ports.ts';
import { authorityState, type CertificateAuthority } from '../domain/authority.ts';
import { type BootstrapToken, statusOf } from '../domain/bootstrap-token.ts';
import type { Fleetlet } from '../domain/fleetlet.ts';

/** A bootstrap token as the API shows it, without its secret. */
export function tokenResource(token: BootstrapToken, now: number): BootstrapTokenResource {
  const { name, workspace, uses, used, targets, targetType, correlation } = token;
  return {
    name,
    workspace: workspace.name,
    status: statusOf(token, now),
    uses,
    used,
    targets: [...targets],
    ...(targetType === undefined ? {} : { targetType }),
    ...(correlation === undefined ? {} : { correlation }),
    createTime: time(token.createTime),
    expireTime: time(token.expireTime),
  };
}

export function fleetletResource(fleetlet: Fleetlet, targets: readonly Binding[]): FleetletResource {
  const { name, uid, workspace, state, origin, certificate, version } = fleetlet;
  return {
    name,
    uid,
    workspace: workspace.name,
    state,
    builtIn: origin === undefined,
    targets: targets.map((target) => target.name),
    ...(certificate === undefined
      ? {}
      : {
          certificate: {
            serial: certificate.serial,
            authority: certificate.authority,
            notBefore: time(certificate.notBefore),
            notAfter: time(certificate.notAfter),
          },
        }),
    createTime: time(fleetlet.createTime),
    updateTime: time(fleetlet.updateTime),
    generation: version,
    observedGeneration: version,
    etag: etagOf(fleetlet),
  };
}

export function authorityResource(
  authority: CertificateAuthority,
  all: readonly CertificateAuthority[],
  now: number,
): CertificateAuthorityResource {
  const { uid, name, certificate, fingerprint, issueFrom, retireTime, notAfter, createTime } = authority;
  return {
    uid,
    name,
    state: authorityState(authority, all, now),
    certificate,
    fingerprint,
    createTime: time(createTime),
    issueTime: time(issueFrom),
    ...(retireTime === undefined ? {} : { retireTime: time(Math.min(retireTime, notAfter)) }),
    notAfter: time(notAfter),
  };
}

function time(ms: number): string {
  return new Date(ms).toISOString();
}
