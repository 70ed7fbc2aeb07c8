import { createHash } from 'node:crypto';
import { Value } from 'typebox/value';
import { type FieldFault, parseUuid, Secret, type Uuid } from '#kit/std';
import { NewIssuerSchema } from '#protocol/api';
import { checkClaims } from '../application/issuer-service.ts';
import type { ClaimLanguage } from '../application/ports.ts';
import { IdentityError, invalid } from '../domain/identity-error.ts';
import { type Issuer, isSameUrl } from '../domain/issuer.ts';
import { newIssuer } from '../domain/issuer-draft.ts';

export interface ConfiguredIssuersDeps {
  readonly language: ClaimLanguage;
  readonly readText: (file: string) => string;
  readonly now: number;
}

/**
 * Issuers set by configuration: a list of bodies of `POST /v1/issuers`, where `caFile` and `clientSecretFile` may name
 * a file in place of `ca` and `clientSecret`.
 */
export function configuredIssuers(raw: unknown, deps: ConfiguredIssuersDeps): readonly Issuer[] {
  if (!Array.isArray(raw)) throw invalid('INVALID_ISSUER', [{ path: '', message: 'must be a list of issuers' }]);
  const issuers = raw.map((item: unknown, index) => readIssuer(item, index, deps));
  issuers.forEach((issuer, index) => {
    const other = issuers.slice(0, index).find(({ name, url }) => name === issuer.name || isSameUrl(url, issuer.url));
    if (other === undefined) return;
    const path = `/${index}/${other.name === issuer.name ? 'name' : 'url'}`;
    throw invalid('INVALID_ISSUER', [{ path, message: 'is a duplicate' }]);
  });
  return issuers;
}

function readIssuer(item: unknown, index: number, { language, readText, now }: ConfiguredIssuersDeps): Issuer {
  const at = (path: string): string => `/${index}${path}`;
  const given: Record<string, unknown> = typeof item === 'object' && item !== null ? { ...item } : {};
  for (const [file, field] of Object.entries({ caFile: 'ca', clientSecretFile: 'clientSecret' })) {
    const { [file]: name } = given;
    if (typeof name !== 'string') continue;
    delete given[file];
    given[field] = readFile(name, { readText, path: at(`/${file}`) });
  }
  const unknown = unknownFields(given, at);
  if (unknown.length > 0) throw invalid('INVALID_ISSUER', unknown);
  if (!Value.Check(NewIssuerSchema, given)) throw invalid('INVALID_ISSUER', faultsIn(given, at));
  const { clientSecret, ...draft } = given;
  const secret =
    clientSecret === undefined ? undefined : ({ kind: 'given', secret: new Secret(clientSecret) } as const);
  const founding = { uid: uidOf(draft.name), now, source: 'configuration', clientSecret: secret } as const;
  try {
    const issuer = newIssuer(draft, founding);
    checkClaims(issuer, language);
    return issuer;
  } catch (error) {
    if (!(error instanceof IdentityError)) throw error;
    const faults = error.faults.map(({ path, message }) => ({ path: at(path), message }));
    throw invalid('INVALID_ISSUER', faults);
  }
}

function readFile(name: string, { readText, path }: { readText: (file: string) => string; path: string }): string {
  try {
    return readText(name).trim();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new IdentityError('INVALID_ISSUER', `read ${name}: ${why}`, { cause, faults: [{ path, message: why }] });
  }
}

function faultsIn(given: unknown, at: (path: string) => string): FieldFault[] {
  const faults = [...Value.Errors(NewIssuerSchema, given)].map(({ instancePath, message }) => ({
    path: at(instancePath),
    message,
  }));
  return faults.length > 0 ? faults : [{ path: at(''), message: 'is not an issuer' }];
}

/** Unknown fields are refused, not ignored, as in the API. */
function unknownFields(given: Readonly<Record<string, unknown>>, at: (path: string) => string): FieldFault[] {
  const { claims } = given;
  const inClaims = typeof claims === 'object' && claims !== null ? Object.keys(claims) : [];
  const known: readonly string[] = [
    ...Object.keys(NewIssuerSchema.properties),
    ...Object.keys(NewIssuerSchema.properties.claims.properties).map((name) => `claims/${name}`),
  ];
  return [...Object.keys(given), ...inClaims.map((name) => `claims/${name}`)]
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: at(`/${name}`), message: 'is not a field of an issuer' }));
}

/** Stable across restarts, so that a restart does not look like a change. */
function uidOf(name: string): Uuid {
  const hex = createHash('sha256').update(`issuer ${name}`).digest('hex');
  return parseUuid(
    `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`,
  );
}
