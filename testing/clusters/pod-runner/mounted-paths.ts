import { join } from 'node:path';
import type { Container } from './pod.ts';

export type Rewrite = (text: string) => string;

export interface MountedPathsOptions {
  /** The folder with the Pod's volumes, each in a folder of its name. */
  readonly volumes: string;
  /** The address of the Pod's ports. */
  readonly podIp: string;
}

/**
 * A local process has neither the file system nor the network of its container, so references to either are rewritten. A
 * path below a mount becomes the path of the volume. "Any address" becomes the Pod's address; otherwise two Pods could
 * not use the same port.
 */
export function mountedPaths(container: Container, { volumes, podIp }: MountedPathsOptions): Rewrite {
  const mounts = (container.volumeMounts ?? []).toSorted((a, b) => b.mountPath.length - a.mountPath.length);
  const places = new Map(
    mounts.map((mount) => [trimmed(mount.mountPath), join(volumes, mount.name, mount.subPath ?? '')]),
  );
  const paths = [...places.keys()].map((path) => path.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`));
  const anyPath = paths.length === 0 ? undefined : new RegExp(`(?<![\\w./-])(${paths.join('|')})(?![\\w.-])`, 'g');
  return (text) => {
    const moved = anyPath ? text.replace(anyPath, (path) => places.get(path) ?? path) : text;
    return moved.replace(/(?<![\w.])0\.0\.0\.0(?![\w.])|\[::\]/g, podIp);
  };
}

function trimmed(path: string): string {
  return path.length > 1 ? path.replace(/\/+$/, '') : path;
}
