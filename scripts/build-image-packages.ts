interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Lockfile paths of the named packages and of all their dependencies. */
export function productionPackages(lock: object, names: readonly string[]): string[] {
  const { packages } = lock as { readonly packages: Readonly<Record<string, LockedPackage>> };
  const found = new Set<string>();
  const add = (from: string, name: string): void => {
    const path = lookUp(packages, from, name);
    // An optional dependency may be missing.
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) add(path, next);
  };
  for (const name of names) add('', name);
  return [...found].toSorted();
}

/** Resolves as Node does: in the package itself, then in the folders around it. */
function lookUp(packages: Readonly<Record<string, unknown>>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}
