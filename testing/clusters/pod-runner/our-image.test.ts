import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isOurImage } from './our-image.ts';

describe('isOurImage', () => {
  const rows = [
    { image: 'fleetshift', want: true },
    { image: 'fleetshift:1.2', want: true },
    { image: 'registry.test:5000/team/fleetshift:1.2@sha256:00ff', want: true },
    { image: 'fleetshift-ui:1', want: false },
    { image: 'fleetshift/other:1', want: false },
    { image: 'my-fleetshift', want: false },
  ];
  for (const { image, want } of rows) it(`${image}: ${want}`, () => assert.equal(isOurImage(image), want));
});
