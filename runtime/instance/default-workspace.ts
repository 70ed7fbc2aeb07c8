import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { replaceFile } from '#runtime/process/durable-file';

const NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;

/** The workspace that commands mean which find the platform by its data folder and name no other. */
export function writeDefaultWorkspace(dataFolder: string, workspace: string): void {
  replaceFile(fileIn(dataFolder), `${workspace}\n`, 0o600);
}

export function readDefaultWorkspace(dataFolder: string): string | undefined {
  try {
    const name = readFileSync(fileIn(dataFolder), 'utf8').trim();
    return NAME.test(name) ? name : undefined;
  } catch {
    return undefined;
  }
}

function fileIn(dataFolder: string): string {
  return join(dataFolder, 'default-workspace');
}
