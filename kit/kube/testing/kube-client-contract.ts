import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { discoveryContract } from './contract/discovery.ts';
import { listsContract } from './contract/lists.ts';
import { objectsContract } from './contract/objects.ts';
import { type ContractServer, type Skips, Stage } from './contract/stage.ts';
import { subresourcesContract } from './contract/subresources.ts';
import { watchesContract } from './contract/watches.ts';
import { writesContract } from './contract/writes.ts';

const TOPICS: Readonly<Record<string, (stage: Stage) => void>> = {
  objects: objectsContract,
  lists: listsContract,
  watches: watchesContract,
  writes: writesContract,
  subresources: subresourcesContract,
  discovery: discoveryContract,
};

export interface KubeClientContract {
  readonly name: string;
  readonly open: () => Promise<ContractServer>;
  /** By test name, each with its reason. */
  readonly skips?: Skips;
  /** Why the suite cannot run here. */
  readonly unavailable?: string | undefined;
}

/** Tests every guarantee of the client's port on one server. */
export function kubeClientContract({ name, open, skips = {}, unavailable }: KubeClientContract): void {
  describe(`the Kubernetes client on ${name}`, unavailable === undefined ? {} : { skip: unavailable }, () => {
    const stage = new Stage(skips);
    before(() => stage.enter(open()));
    after(() => stage.leave());
    for (const [topic, contract] of Object.entries(TOPICS)) describe(topic, () => contract(stage));
    it('skips nothing that is not there', () => assert.deepEqual(stage.unknownSkips(), []));
  });
}
