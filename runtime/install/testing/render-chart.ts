import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import { runHelm } from '#testing/helm';
import type { AgentInstall, InstalledObject } from '../agent-install.ts';

export const CHART = join(import.meta.dirname, '../../../deploy/charts/fleetshift-agent');

/** The same install as values of the chart. */
export function chartValues(install: AgentInstall): object {
  const { image, platform, authority, target, token, rbac, allow, namespaces, networkPolicy } = install;
  const [named = '', digest] = image.split('@');
  const colon = named.lastIndexOf(':');
  const repository = digest === undefined ? named.slice(0, colon) : named;
  const version = digest === undefined ? { tag: named.slice(colon + 1) } : { digest };
  return {
    image: { repository, ...version },
    platform: { url: platform, ...(authority === undefined ? {} : { ca: authority }) },
    ...(target === undefined ? {} : { target }),
    ...(token === undefined ? {} : { bootstrapToken: token }),
    rbac: {
      mode: rbac,
      namespaces,
      allow: allow.map(({ group, resource }) => (group === '' ? resource : `${resource}.${group}`)),
    },
    apiProxy: { enabled: install.apiProxy, users: install.apiProxyUsers },
    networkPolicy: { enabled: networkPolicy },
  };
}

/** Renders the chart with real Helm. */
export async function renderChart(values: object, namespace: string): Promise<readonly InstalledObject[]> {
  const folder = await mkdtemp(join(tmpdir(), 'fleetshift-chart-'));
  try {
    const file = join(folder, 'values.yaml');
    await writeFile(file, stringify(values));
    const args = ['template', 'agent', CHART, '--namespace', namespace, '--values', file];
    const { code, stdout, stderr } = await runHelm({ args, folder });
    if (code !== 0) throw new Error(`render the chart: helm said\n${stderr}`);
    const documents = parseAllDocuments(stdout).map((document) => document.toJS() as InstalledObject | null);
    return documents.filter((object) => object !== null);
  } finally {
    await rm(folder, { recursive: true });
  }
}
