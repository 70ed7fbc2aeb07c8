import { defineRoute, mutate, ok, type Route } from '#kit/http';
import { CertificateAuthoritiesSchema, RotateAuthoritySchema } from '#protocol/api';
import { rotateAuthority } from '../../application/authority-service.ts';
import { type CertificateAuthority, trustedAuthorities } from '../../domain/authority.ts';
import type { EnrolmentParts } from '../enrolment-parts.ts';
import { authorityResource } from '../resources.ts';

const PATH = '/v1/certificate-authority';
const tags = ['enrolment'];

/** The authorities that issue the certificates of fleetlets. */
export function certificateAuthorityRoutes(parts: EnrolmentParts): Route[] {
  return [getRoute(parts), rotateRoute(parts)];
}

function getRoute({ reader }: EnrolmentParts): Route {
  return defineRoute({
    method: 'GET',
    path: PATH,
    operationId: 'getCertificateAuthority',
    summary: 'Get the certificate authorities of fleetlets',
    tags,
    permission: 'certificateAuthority.read',
    schema: { responses: { 200: CertificateAuthoritiesSchema } },
    handler: async ({ time, signal }) => ok(shown(await reader.authorities(signal), time)),
  });
}

function rotateRoute({ storage, unit, authorities, limits, changed }: EnrolmentParts): Route {
  return defineRoute({
    method: 'POST',
    path: `${PATH}:rotate`,
    operationId: 'rotateCertificateAuthority',
    summary: 'Rotate the certificate authority of fleetlets',
    description:
      'The new authority is published first, and begins to issue after the lead; the old one stays trusted for as long as its certificates can be renewed.',
    tags,
    permission: 'certificateAuthority.rotate',
    schema: { body: RotateAuthoritySchema, responses: { 200: CertificateAuthoritiesSchema } },
    handler: async (request) => {
      const { body, time: now, signal } = request;
      const made = await authorities.make(signal);
      const answer = await mutate(request, storage, async (tx) => {
        const inside = unit(tx);
        await rotateAuthority(inside, { made, request: body, limits, now }, signal);
        return ok(shown(await inside.authorities.list(signal), now));
      });
      changed();
      return answer;
    },
  });
}

function shown(all: readonly CertificateAuthority[], now: number) {
  return {
    authorities: all.map((authority) => authorityResource(authority, all, now)),
    bundle: trustedAuthorities(all, now)
      .map(({ certificate }) => certificate)
      .join(''),
  };
}
