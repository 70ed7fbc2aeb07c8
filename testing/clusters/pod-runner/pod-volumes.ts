import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DownwardItems, KeyToPath, Pod, Projection, Volume } from './pod.ts';
import { podField } from './pod-field.ts';
import type { Entries, PodSources } from './pod-sources.ts';

export interface VolumeDeps {
  readonly pod: Pod;
  readonly podIp: string;
  readonly sources: PodSources;
  /** Each volume is a subfolder with the volume's name. */
  readonly folder: string;
}

/**
 * Writes the current contents of the volumes. Called repeatedly, as Secrets change and tokens expire. Unchanged files are
 * not touched; changed ones are replaced in one step.
 */
export async function writeVolumes(deps: VolumeDeps, signal: AbortSignal): Promise<void> {
  for (const volume of deps.pod.spec.volumes ?? []) {
    const folder = join(deps.folder, volume.name);
    await mkdir(folder, { recursive: true });
    const { defaultMode = 0o644 } = volume.secret ?? volume.configMap ?? volume.downwardAPI ?? volume.projected ?? {};
    for (const [path, { bytes, mode = defaultMode }] of await filesOf(deps, volume, signal)) {
      await writeChanged(join(folder, path), bytes, mode);
    }
  }
}

interface MountedFile {
  readonly bytes: Buffer;
  readonly mode?: number | undefined;
}

type Files = Map<string, MountedFile>;

async function filesOf(deps: VolumeDeps, volume: Volume, signal: AbortSignal): Promise<Files> {
  const { secret, configMap, downwardAPI, projected, emptyDir, name } = volume;
  if (secret) return await fromProjection(deps, { secret: { ...secret, name: secret.secretName } }, signal);
  if (configMap) return await fromProjection(deps, { configMap }, signal);
  if (downwardAPI) return fromFields(deps, downwardAPI);
  if (emptyDir) return new Map();
  if (!projected) throw new Error(`mount volume ${name}: it is of a kind that is not known here`);
  const files: Files = new Map();
  for (const source of projected.sources ?? []) {
    for (const [path, file] of await fromProjection(deps, source, signal)) files.set(path, file);
  }
  return files;
}

async function fromProjection(deps: VolumeDeps, projection: Projection, signal: AbortSignal): Promise<Files> {
  const { sources, folder } = deps;
  const { secret, configMap, downwardAPI, serviceAccountToken } = projection;
  if (secret) return chosen(secret, await sources.secret(secret.name, signal));
  if (configMap) return chosen(configMap, await sources.configMap(configMap.name, signal));
  if (downwardAPI) return fromFields(deps, downwardAPI);
  if (!serviceAccountToken) throw new Error(`mount a projection in ${folder}: it is of a kind that is not known here`);
  return new Map([
    [serviceAccountToken.path, { bytes: Buffer.from(await sources.token(serviceAccountToken, signal)) }],
  ]);
}

interface Choice {
  readonly name: string;
  readonly items?: readonly KeyToPath[];
  readonly optional?: boolean;
}

function chosen({ name, items, optional }: Choice, entries: Entries | undefined): Files {
  if (entries === undefined && !optional) throw new Error(`mount ${name}: it is not there`);
  if (items === undefined) return new Map([...(entries ?? [])].map(([key, bytes]) => [key, { bytes }]));
  const files: Files = new Map();
  for (const { key, path, mode } of items) {
    const bytes = entries?.get(key);
    if (bytes === undefined && !optional) throw new Error(`mount ${key} of ${name}: it is not there`);
    if (bytes !== undefined) files.set(path, { bytes, mode });
  }
  return files;
}

function fromFields({ pod, podIp }: VolumeDeps, { items = [] }: DownwardItems): Files {
  const valueOf = (fieldPath = ''): Buffer => Buffer.from(podField(pod, fieldPath, podIp));
  return new Map(items.map(({ path, fieldRef }) => [path, { bytes: valueOf(fieldRef?.fieldPath) }]));
}

async function writeChanged(file: string, bytes: Buffer, mode: number): Promise<void> {
  const present = await readFile(file).catch(() => undefined);
  if (present?.equals(bytes)) return;
  await mkdir(dirname(file), { recursive: true });
  const apart = `${file}.new`;
  try {
    await writeFile(apart, bytes, { mode });
    await rename(apart, file);
  } finally {
    await rm(apart, { force: true });
  }
}
