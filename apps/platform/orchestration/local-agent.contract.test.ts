import assert from 'node:assert/strict';
import type { DeliveryAgent } from '#contexts/delivery';
import { LOCAL_TARGET_ID } from '#contexts/orchestration';
import { parseResourceName, systemClock } from '#kit/std';
import type { TargetRef } from '#protocol/targets';
import { eachDatabase, type TestDatabase } from '#testing/databases';
import {
  CONTRACT_DEPLOYMENTS,
  deliveryAgentContract,
  type OpenedAgent,
} from '../../../contexts/delivery/testing/delivery-agent-contract.ts';
import { RecordingReports } from '../../../contexts/delivery/testing/recording-reports.ts';
import { GroupJourney } from '../../../contexts/orchestration/adapters/groups/testing/group-journey.ts';
import { aDeployment } from '../../../contexts/orchestration/testing/a-revision.ts';
import { keepContent } from '../../../contexts/orchestration/testing/keep-content.ts';

const TARGET: TargetRef = { id: LOCAL_TARGET_ID, name: 'local', type: 'local' };

/** A group of one child, which is healthy once it exists: no target is placed. */
const groupOf = (child: string) => ({
  apiVersion: 'fleetshift.io/v1',
  kind: 'DeploymentGroup',
  metadata: { name: 'app' },
  spec: {
    deployments: [{ name: child, manifest: { type: 'inline', documents: [] }, placement: [{ type: 'all' }] }],
    sequence: [{ step: [child] }],
  },
});

/** The platform as a target, with everything that groups need; the test receives its reports. */
async function open(database: TestDatabase, signal: AbortSignal): Promise<OpenedAgent> {
  const reports = new RecordingReports();
  const say = async (isOnline: boolean): Promise<void> =>
    await reports.connectionChanged([{ target: TARGET, isOnline, time: systemClock.now() }]);
  const begin = async (): Promise<GroupJourney> =>
    await GroupJourney.open(database, {
      observe: async (observations) => {
        for (const each of observations) {
          if (each.about === 'report') await reports.report([each.report]);
          if (each.about === 'inventory') await reports.inventory([each.inventory]);
          if (each.about === 'connection') await say(each.isOnline ?? assert.fail('its state is known'));
        }
      },
    });
  let journey = await begin();
  await journey.units.write(async (unit) => {
    for (const [index, uid] of CONTRACT_DEPLOYMENTS.entries()) {
      await unit.deployments.insert(aDeployment({ uid, name: parseResourceName(`group-${index}`) }), signal);
    }
  }, signal);
  return {
    agent: withContentKept(() => journey),
    target: TARGET,
    reports,
    contents: [[groupOf('one')], [groupOf('two')]],
    // It is connected for as long as the executing process lives.
    reconnect: async () => {
      await journey.stop();
      await say(false);
      journey = await begin();
      await journey.local.connect(signal);
    },
    close: async () => {
      await journey.stop();
      await database.dispose();
    },
  };
}

/** Content is stored before it is sent: the agent relies on that. */
function withContentKept(journey: () => GroupJourney): DeliveryAgent {
  const local = (): DeliveryAgent => journey().local;
  return {
    dispatch: async (order, signal) => {
      signal.throwIfAborted();
      await journey().units.write((unit) => keepContent(unit, order, signal), signal);
      return await local().dispatch(order, signal);
    },
    cancel: async (order, signal) => await local().cancel(order, signal),
    preview: async (order, signal) => await local().preview(order, signal),
  };
}

eachDatabase('the platform as a target', (fresh) => {
  const skip = [
    {
      test: 'takes no order of an earlier incarnation of the platform than it has obeyed',
      reason: 'its records are in the database of the platform, which no other incarnation shares',
    },
  ] as const;
  deliveryAgentContract('local', { open: async (signal) => await open(await fresh(), signal), skip });
});
