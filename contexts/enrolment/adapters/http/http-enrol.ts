import { defineRoute, mutate, ok, type Route } from '#kit/http';
import { EnrolledSchema, EnrollSchema, RenewCertificateSchema } from '#protocol/api';
import { type Enrolled, revokedMeanwhile, superseded } from '../../application/enrol-service.ts';
import type { CertificateSigner } from '../../application/ports.ts';
import { EnrolmentError } from '../../domain/enrolment-error.ts';
import type { EnrolmentParts } from '../enrolment-parts.ts';
import { provenKey } from '../pki/proven-key.ts';

const PATH = '/v1/enroll';
const BEARER = /^Bearer +(\S+)$/i;
/** Public: the credentials in the request decide. The limit has room for the largest body that the schema allows. */
const shared = { tags: ['enrolment'], permission: 'public', bodyBytes: 40 * 1024 } as const;

/** Enrolment of machines, and renewal of their certificates. */
export function enrolRoutes(parts: EnrolmentParts): Route[] {
  return [enrollRoute(parts), renewRoute(parts)];
}

function enrollRoute(parts: EnrolmentParts): Route {
  const { storage, unit, enrol, authorities, targetsChanged } = parts;
  return defineRoute({
    ...shared,
    method: 'POST',
    path: PATH,
    operationId: 'enroll',
    summary: 'Enrol a fleetlet',
    description:
      'Takes a bootstrap token and a certificate signing request. The same request again within ten minutes gets the same response, and does not count as a second use.',
    schema: { body: EnrollSchema, responses: { 200: EnrolledSchema } },
    handler: async (request) => {
      const { body, time: now, signal, dryRun } = request;
      const key = provenKey(body.csr);
      const signer = await authorities.signer(signal);
      const { token, targets = [] } = body;
      const answer = await mutate(request, storage, async (tx) => {
        const enrolled = await enrol.enrol(unit(tx), { token, key, targets, signer, now }, signal);
        return answerOf(parts, { enrolled, signer, dryRun, host: request.headers.host });
      });
      if (!dryRun)
        await targetsChanged(
          targets.map(({ name }) => name),
          signal,
        );
      return answer;
    },
  });
}

function renewRoute(parts: EnrolmentParts): Route {
  const { storage, unit, enrol, authorities, gate } = parts;
  return defineRoute({
    ...shared,
    method: 'POST',
    path: `${PATH}:renew`,
    operationId: 'renewFleetletCertificate',
    summary: 'Renew the certificate of a fleetlet',
    description:
      'Requires `Authorization: Bearer` with a JWT for the audience `/v1/enroll:renew`, which has the certificate in its header (`x5c`) and is signed by its key. The certificate may have expired recently. The new certificate should have a new key. Once the new certificate has been presented, earlier ones are refused with `certificateSuperseded`.',
    schema: { body: RenewCertificateSchema, responses: { 200: EnrolledSchema } },
    handler: async (request) => {
      const { body, headers, time: now, signal, dryRun } = request;
      const [, token = ''] = BEARER.exec(headers.authorization ?? '') ?? [];
      const known = await gate.recogniseForRenewal(token, signal);
      if (known.kind === 'refused') throw refusalOf(known);
      const key = provenKey(body.csr);
      const signer = await authorities.signer(signal);
      return await mutate(request, storage, async (tx) => {
        const enrolled = await enrol.renew(
          unit(tx),
          { fleetlet: known.fleetlet, shown: known, key, signer, now },
          signal,
        );
        return answerOf(parts, { enrolled, signer, dryRun, host: headers.host });
      });
    },
  });
}

function refusalOf({ reason, message }: { readonly reason: string; readonly message: string }): EnrolmentError {
  if (reason === 'superseded') return superseded();
  return reason === 'revoked' ? revokedMeanwhile() : new EnrolmentError('CERTIFICATE_REFUSED', message);
}

interface Answered {
  readonly enrolled: Enrolled;
  readonly signer: CertificateSigner;
  readonly dryRun: boolean;
  readonly host: string | undefined;
}

function answerOf({ endpoints, serverAuthority }: EnrolmentParts, { enrolled, signer, dryRun, host }: Answered) {
  const { fleetlet, targets, certificate } = enrolled;
  const serverCa = serverAuthority();
  const body = {
    fleetlet: fleetlet.uid,
    name: fleetlet.name,
    targets: targets.map(({ uid, name }) => ({ uid, name })),
    // A dry run created no fleetlet, so there is no certificate.
    ...(dryRun ? {} : { certificate }),
    ca: signer.bundle,
    ...(serverCa === undefined ? {} : { serverCa }),
    endpoints: endpoints(host),
  };
  // Tells the audit log which fleetlet it is.
  return { ...ok(body), headers: { location: `/v1/fleetlets/${fleetlet.name}` } };
}
