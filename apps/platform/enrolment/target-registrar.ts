import type { TargetRegistrar } from '#contexts/enrolment';
import { type AddonTypes, type Target, TargetService } from '#contexts/targets';
import { targetUnitOfWork } from '#contexts/targets/adapters';
import { workspacePlaces } from '#contexts/workspaces/adapters';
import { parseResourceName, uuidv7 } from '#kit/std';
import type { Transaction } from '#kit/storage';

/** Adapts targets to the port of enrolment. */
export function targetRegistrar(addonTypes: AddonTypes): (tx: Transaction) => TargetRegistrar {
  const service = new TargetService({ newUid: uuidv7, addonTypes });
  return (tx) => {
    const unit = targetUnitOfWork(tx, { newId: uuidv7, workspaces: workspacePlaces });
    return {
      find: async (name, signal) => {
        const target = await unit.targets.find(parseResourceName(name), signal);
        return target && known(target);
      },
      register: async (draft, now, signal) => known(await service.register(unit, { draft, now }, signal)),
      label: async (name, labels, now, signal) => {
        const precondition = { check: () => {} };
        await service.patch(unit, { name: parseResourceName(name), patch: { labels }, precondition, now }, signal);
      },
    };
  };
}

function known({ uid, name, type, workspace }: Target) {
  return { uid, name, type, workspace: workspace.name };
}
