import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';

/** Writes the file atomically, readable by its owner only. */
export function writePrivateFile(file: string, content: string): void {
  const draft = `${file}.${process.pid}-${Math.random().toString(36).slice(2)}`;
  const descriptor = openSync(draft, 'wx', 0o600);
  try {
    // Regardless of the umask.
    fchmodSync(descriptor, 0o600);
    writeFileSync(descriptor, content);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(draft, file);
}

/** `undefined` when it does not exist, or when its mode lets others access it. */
export function readPrivateFile(file: string): string | undefined {
  const facts = statSync(file, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isFile() || (facts.mode & 0o077) !== 0) return undefined;
  return readFileSync(file, 'utf8');
}

export function removeFile(file: string): void {
  rmSync(file, { force: true });
}
