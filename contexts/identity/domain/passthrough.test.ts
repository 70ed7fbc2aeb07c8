import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { FleetError } from '#kit/std';
import type { Issuer } from './issuer.ts';
import { checkPassthrough, type Passthrough } from './passthrough.ts';

const issuer = (name: string, audiences: readonly string[]): Issuer =>
  ({ name, audiences, clientId: `${name}-platform`, cliClientId: `${name}-cli` }) as unknown as Issuer;
const ISSUERS = [issuer('corp', []), issuer('partner', ['shared'])];

function passthrough(target: string, workspace: string, audience: string, of = 'corp'): Passthrough {
  return { target: { uid: target, name: target }, workspace, audience, issuer: of, createTime: 0 };
}

describe('tokens that pass through', () => {
  const others = [passthrough('prod-1', 'shop', 'clusters-of-shop')];
  const rows = [
    { why: 'an audience of its own', wanted: passthrough('prod-2', 'shop', 'prod-2'), path: undefined },
    {
      why: 'one that its workspace shares',
      wanted: passthrough('prod-2', 'shop', 'clusters-of-shop'),
      path: undefined,
    },
    { why: 'its own again', wanted: passthrough('prod-1', 'shop', 'clusters-of-shop'), path: undefined },
    { why: 'an issuer that nobody knows', wanted: passthrough('prod-2', 'shop', 'prod-2', 'x'), path: '/issuer' },
    { why: "the platform's client", wanted: passthrough('prod-2', 'shop', 'corp-platform'), path: '/audience' },
    { why: "the CLI's client", wanted: passthrough('prod-2', 'shop', 'corp-cli'), path: '/audience' },
    { why: 'what another issuer is accepted with', wanted: passthrough('prod-2', 'shop', 'shared'), path: '/audience' },
    { why: "another workspace's", wanted: passthrough('x', 'lair', 'clusters-of-shop'), path: '/audience' },
  ];
  for (const { why, wanted, path } of rows) {
    it(`${path === undefined ? 'may have' : 'may not have'} ${why}`, () => {
      const check = (): void => checkPassthrough(wanted, { issuers: ISSUERS, others });
      if (path === undefined) check();
      else
        assert.throws(
          check,
          (error: FleetError) => error.code === 'PASSTHROUGH_REFUSED' && error.faults[0]?.path === path,
        );
    });
  }
});
