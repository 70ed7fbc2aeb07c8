import type { TestContext } from 'node:test';
import type { Engine } from '#kit/storage';
import { type PlatformHome, platformHome } from '#testing/platform-process';

/** Creates a home that is removed after the test. */
export async function homeFor(t: TestContext, engine: Engine = 'sqlite'): Promise<PlatformHome> {
  const home = await platformHome(engine);
  t.after(() => home.dispose());
  return home;
}
