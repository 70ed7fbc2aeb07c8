import assert from 'node:assert/strict';
import { it } from 'node:test';
import { clustersUnavailable } from '#testing/clusters';
import { functionsNamedIn } from '#testing/documents';
import { runStory } from '../scripts/path/run-story.ts';
import { ROOT } from '../scripts/repository.ts';

const skip = (await clustersUnavailable('apiserver')) ?? false;

it('a Deployment takes the path that ARCHITECTURE.md draws', { skip }, async (t) => {
  const { entered } = await runStory(ROOT, t.signal);
  const known = new Set(entered.map(({ file, name }) => `${file}#${name}`));
  const drawn = functionsNamedIn('ARCHITECTURE.md').map(({ file, name }) => `${file}#${name}`);
  assert.deepEqual(
    drawn.filter((place) => !known.has(place)),
    [],
  );
});
