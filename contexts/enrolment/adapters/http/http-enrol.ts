import { defineRoute, mutate, ok, type Route } from '#kit/http';
import { EnrolledSchema, EnrollSchema, RenewCertificateSchema } from '#protocol/api';
import { type Enrolled, revokedMeanwhile, superseded } from '../../application/enrol-service.ts';
import type { CertificateSigner } from '../../application/ports.ts';
import { EnrolmentError } from '../../domain/enrolment-error.ts';
import type { EnrolmentParts } from '../enrolment-parts.ts';
import { provenKey } from '../pki/proven-key.ts';

const PATH = '/v1/enroll';
const BEARER = /^Bearer +(\S+)$/i;
/** Everybody may ask: what they show in the body decides. It has room for the largest request that the schema takes. */
const shared = { tags: ['enrolment'], permission: 'public', bodyBytes: 40 * 1024 } as const;

/** How machines come in, and stay. */
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
      'A bootstrap token and a signing request for a certificate. The same request once more within ten minutes is answered again, and is no second use.',
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
      'Asked with `Authorization: Bearer` and a JWT of the audience `/v1/enroll:renew` that has the certificate in its header (`x5c`) and is signed by its key. The certificate may have expired a while ago. The key of the new one should be another. Once the new one was shown, earlier ones are refused with `certificateSuperseded`.',
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
    // A dry run has made nobody whom it could be of.
    ...(dryRun ? {} : { certificate }),
    ca: signer.bundle,
    ...(serverCa === undefined ? {} : { serverCa }),
    endpoints: endpoints(host),
  };
  // By this the audit knows whose it is.
  return { ...ok(body), headers: { location: `/v1/fleetlets/${fleetlet.name}` } };
}
