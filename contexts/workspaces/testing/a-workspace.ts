import { parseResourceName, parseUuid, type ResourceName, type Uuid } from '#kit/std';
import type { Workspace } from '../domain/workspace.ts';

/** A folder in the root, with overrides. */
export function aWorkspace(its: Partial<Workspace> = {}): Workspace {
  return {
    name: parseResourceName('web'),
    uid: uidOf(1),
    kind: 'folder',
    ancestors: names('root'),
    slug: undefined,
    region: undefined,
    displayName: undefined,
    labels: {},
    generation: 1,
    version: 1,
    createTime: 1_000,
    updateTime: 1_000,
    ...its,
  };
}

export function aDomain(its: Partial<Workspace> = {}): Workspace {
  return aWorkspace({ name: parseResourceName('acme'), kind: 'domain', slug: 'acme', ...its });
}

export function theRoot(its: Partial<Workspace> = {}): Workspace {
  return aWorkspace({ name: parseResourceName('root'), uid: uidOf(0), ancestors: [], ...its });
}

/** Ids come from a counter, so that tests can refer to them. */
export function uidOf(number: number): Uuid {
  return parseUuid(`00000000-0000-7000-8000-${String(number).padStart(12, '0')}`);
}

export function uidCounter(): () => Uuid {
  let number = 0;
  return () => uidOf((number += 1));
}

/** `names('root', 'emea')` */
export function names(...raw: readonly string[]): ResourceName[] {
  return raw.map(parseResourceName);
}
