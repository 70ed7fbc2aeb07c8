import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'yaml';
import { moduleOf } from '#testing/test-programs';
import type { Definition } from '../../testing/capi/definitions.ts';

const MODULE = 'open-cluster-management.io/ocm';
const DOWNLOAD_MS = 120_000;
const HUB = join('manifests', 'cluster-manager', 'hub');
const MEMBER = join('manifests', 'klusterlet', 'managed');

/** The kinds that work manager and agent use, as shipped with the module. */
export interface OcmDefinitions {
  readonly hub: readonly Definition[];
  readonly member: readonly Definition[];
}

/** From Go's module cache, fetched into it when missing. */
export async function ocmDefinitions(): Promise<OcmDefinitions> {
  const { stdout } = await promisify(execFile)('go', ['mod', 'download', '-json', MODULE], {
    cwd: moduleOf('open-cluster-management'),
    timeout: DOWNLOAD_MS,
  });
  const { Dir: folder } = JSON.parse(stdout) as { readonly Dir: string };
  const read = async (...path: readonly string[]): Promise<Definition> =>
    parse(await readFile(join(folder, ...path), 'utf8')) as Definition;
  return {
    hub: await Promise.all([
      read(HUB, '0000_00_work.open-cluster-management.io_manifestworks.crd.yaml'),
      read(HUB, '0000_00_work.open-cluster-management.io_manifestworkreplicasets.crd.yaml'),
      read(HUB, '0000_02_clusters.open-cluster-management.io_placements.crd.yaml'),
      read(HUB, '0000_03_clusters.open-cluster-management.io_placementdecisions.crd.yaml'),
    ]),
    member: [await read(MEMBER, '0000_01_work.open-cluster-management.io_appliedmanifestworks.crd.yaml')],
  };
}
