import assert from 'node:assert/strict';
import type { Platform } from '#testing/platform-process';
import { kubeconfigFor, type LoopbackServer, serveOnLoopback } from '../scripted-cluster.ts';
import { type Attack, heldOff, type Outcome, succeeded } from './attack.ts';
import { addMallory, addTarget, stateOf } from './mallory.ts';

const SECRET = 'the-internal-service-says-4711';
const TARGET = 'bait';

/** A service that only the platform's machine can reach. */
async function withInternalService(run: (service: LoopbackServer, reached: () => number) => Promise<Outcome>) {
  let requests = 0;
  const service = await serveOnLoopback((_request, response) => {
    requests += 1;
    const status = { kind: 'Status', code: 403, reason: 'Forbidden', message: SECRET };
    response.writeHead(403, { 'content-type': 'application/json' }).end(JSON.stringify(status));
  });
  try {
    return await run(service, () => requests);
  } finally {
    await service.close();
  }
}

/** Stores a kubeconfig that leads to the service. Returns the refusal, if it is refused. */
async function leave(platform: Platform, server: string) {
  const mallory = await addMallory(platform);
  await addTarget(mallory, TARGET);
  const body = { kubeconfig: kubeconfigFor(server) };
  const answer = await mallory.ask(`/v1/targets/${TARGET}/kubeconfig`, { method: 'PUT', body });
  const said = await answer.text();
  assert.ok(answer.status === 201 || said.includes('--dial-allow'), `it is taken or refused by its address: ${said}`);
  return { mallory, refusal: answer.status === 201 ? undefined : said };
}

export const reachedInside: Attack = {
  finding: 10,
  name: 'the admin of a workspace makes a platform that others reach ask a service on its own machine',
  run: ({ home }) =>
    withInternalService(async ({ url }, reached) => {
      const platform = await home.start({ flags: ['--tls-listen', '0.0.0.0:0', '--fleetlet-listen', '0.0.0.0:0'] });
      const { mallory, refusal } = await leave(platform, url);
      if (refusal !== undefined) return heldOff(`the kubeconfig is refused: ${refusal.slice(0, 300)}`);
      const { message } = await stateOf(mallory, TARGET);
      return reached() > 0 ? succeeded(`it was asked ${reached()} times; mallory reads: ${message}`) : heldOff(message);
    }),
};

export const quotedAnswer: Attack = {
  finding: 10,
  name: 'the admin of a workspace reads what a service answers to the platform, in the state of a target',
  run: ({ home }) =>
    withInternalService(async ({ url }, reached) => {
      // Every listener is on loopback, so the address itself may be dialled.
      const { mallory } = await leave(await home.start(), url);
      const { state, message } = await stateOf(mallory, TARGET);
      assert.ok(reached() > 0, `the service was asked; the target is ${state}: ${message}`);
      return message.includes(SECRET)
        ? succeeded(`the state quotes: ${message}`)
        : heldOff(`the state says: ${message}`);
    }),
};
