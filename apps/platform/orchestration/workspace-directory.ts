import type { WorkspaceDirectory } from '#contexts/orchestration';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import type { Reader } from '#kit/storage';

/** Adapts the tree to the port of orchestration, within the current transaction. */
export function directoryIn(reader: Reader): WorkspaceDirectory {
  return { find: async (name, signal) => (await workspacePlaces(reader).places([name], signal))[0] };
}
