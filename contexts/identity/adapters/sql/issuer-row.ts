import { parseResourceName, parseUuid } from '#kit/std';
import { type Row, sql } from '#kit/storage';
import { type ClientSecret, type Issuer, issuerFaults, MODES } from '../../domain/issuer.ts';
import { invalidRow, optionalText, storedObject, storedText, storedTexts } from './stored-json.ts';

export const ISSUER_COLUMNS = sql.raw(
  'name, uid, url, document, sealed_secret, generation, version, create_time, update_time',
);

export function issuerDocument(issuer: Issuer): string {
  const { displayName, clientId, cliClientId, audiences, mode, claims, scopes, clockSkewMs, ca } = issuer;
  return JSON.stringify({ displayName, clientId, cliClientId, audiences, mode, claims, scopes, clockSkewMs, ca });
}

/** Runs the same checks as on user input. */
export function toIssuer(row: Row): Issuer {
  const name = String(row['name']);
  const what = `issuer ${name}`;
  const document = storedObject(String(row['document']), what);
  const claims = storedObject(JSON.stringify(document['claims']), what);
  const mode = MODES.find((each) => each === document['mode']);
  if (mode === undefined) throw invalidRow(what);
  const issuer: Issuer = {
    name: parseResourceName(name),
    uid: parseUuid(String(row['uid'])),
    url: String(row['url']),
    displayName: optionalText(document['displayName'], what),
    clientId: storedText(document['clientId'], what),
    cliClientId: optionalText(document['cliClientId'], what),
    clientSecret: toSecret(optionalText(row['sealed_secret'], what)),
    audiences: storedTexts(document['audiences'], what),
    mode,
    claims: {
      username: storedText(claims['username'], what),
      groups: storedText(claims['groups'], what),
      sharedGroups: optionalText(claims['sharedGroups'], what),
    },
    scopes: storedTexts(document['scopes'], what),
    clockSkewMs: Number(document['clockSkewMs']),
    ca: optionalText(document['ca'], what),
    source: 'api',
    generation: Number(row['generation']),
    version: Number(row['version']),
    createTime: Number(row['create_time']),
    updateTime: Number(row['update_time']),
  };
  if (issuerFaults(issuer).length > 0 || !Number.isFinite(issuer.clockSkewMs)) throw invalidRow(what);
  return issuer;
}

/** A secret from the configuration is not stored. */
export function sealedTextOf({ clientSecret }: Issuer): string | null {
  return clientSecret?.kind === 'sealed' ? clientSecret.text : null;
}

function toSecret(text: string | undefined): ClientSecret | undefined {
  return text === undefined ? undefined : { kind: 'sealed', text };
}
