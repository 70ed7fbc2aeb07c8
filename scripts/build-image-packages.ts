interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** Paths, as the lockfile has them, of the packages of these names and of all that they need in turn. */
export function productionPackages(lock: object, names: readonly string[]): string[] {
  const { packages } = lock as { readonly packages: Readonly<Record<string, LockedPackage>> };
  const found = new Set<string>();
  const add = (from: string, name: string): void => {
    const path = lookUp(packages, from, name);
    // What is optional may not be there.
    if (path === undefined || found.has(path)) return;
    found.add(path);
    const { dependencies, optionalDependencies, peerDependencies } = packages[path] ?? {};
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) add(path, next);
  };
  for (const name of names) add('', name);
  return [...found].toSorted();
}

/** As Node looks for it: in the package itself, then in whatever it lies in. */
function lookUp(packages: Readonly<Record<string, unknown>>, from: string, name: string): string | undefined {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/node_modules/')))) {
    const path = `${folder === '' ? '' : `${folder}/`}node_modules/${name}`;
    if (packages[path] !== undefined) return path;
    if (folder === '') return undefined;
  }
}
