import type { WorkspaceDirectory } from '#contexts/enrolment';
import { workspaceNotFound } from '#contexts/workspaces';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import type { Transaction } from '#kit/storage';

/** Adapts workspaces to the port of enrolment. */
export function placeDirectory(tx: Transaction): WorkspaceDirectory {
  return {
    require: async (name, signal) => {
      const [place] = await workspacePlaces(tx).places([name], signal);
      if (place === undefined) throw workspaceNotFound(name);
      return place;
    },
  };
}
