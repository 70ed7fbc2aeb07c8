import type { WorkspaceDirectory } from '#contexts/orchestration';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import type { Reader } from '#kit/storage';

/** The tree in the words of orchestration, as the transaction at hand sees it. */
export function directoryIn(reader: Reader): WorkspaceDirectory {
  return { find: async (name, signal) => (await workspacePlaces(reader).places([name], signal))[0] };
}
