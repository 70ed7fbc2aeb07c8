import { it } from 'node:test';
import { logToStderr } from '#testing/log-to-stderr';
import { share, testSeed } from '#testing/seeded';
import { quietly } from '#testing/soak';
import { findRecordingServer } from './proxy-framing/recording-server.ts';
import { soak } from './proxy-framing.soak.ts';

const skip =
  (await findRecordingServer(logToStderr)) === undefined && 'there is no Go to build the recording server with';

it('an API server sees what callers were allowed and nothing else, however it is framed', { skip }, async (t) => {
  await soak.run(quietly({ count: share(soak.defaultCount), seed: testSeed() }, t.signal));
});
