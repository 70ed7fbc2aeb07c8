import assert from 'node:assert/strict';
import { it } from 'node:test';
import { deployGreeting, directoryEdge, holds, OVER_HTTPS } from './directory-edge.ts';
import { homeFor } from './home-for.ts';

it('a host behind which only HTTPS passes is delivered to over WebSockets', async (t) => {
  const home = await homeFor(t);
  const platform = await home.start({ flags: OVER_HTTPS });
  const edge = await directoryEdge(t, home, platform);
  await deployGreeting(platform, 'hello');
  await holds(edge, 'hello');

  const { code } = await platform.stop();
  assert.equal(code, 0, 'what has become a WebSocket does not keep it from its end');
});
