import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { Browser } from 'playwright-core';
import { launchBrowser, withoutBrowser } from '#testing/browser';
import { type Platform, type PlatformHome, platformHome } from '#testing/platform-process';

describe('the documentation in a browser', { skip: withoutBrowser() }, () => {
  let home: PlatformHome;
  let platform: Platform;
  let browser: Browser;

  before(async () => {
    home = await platformHome('sqlite');
    [platform, browser] = await Promise.all([home.start(), launchBrowser()]);
  });
  after(async () => {
    await browser?.close();
    await home?.dispose();
  });

  it('shows every operation, complains of nothing, and asks nobody else for anything', async () => {
    // The page renders only what is in view, once there are many operations: all of them fit in this one.
    const page = await browser.newPage({ viewport: { width: 1280, height: 30_000 } });
    const asked: string[] = [];
    const complaints: string[] = [];
    page.on('request', (request) => asked.push(request.url()));
    page.on('requestfailed', (request) => complaints.push(`${request.url()}: ${request.failure()?.errorText}`));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    await page.goto(`${platform.url}/docs`);

    const tags = page.locator('h3.opblock-tag');
    await tags.first().waitFor();
    for (const tag of await tags.all()) {
      if ((await tag.getAttribute('data-is-open')) !== 'true') await tag.click();
    }
    const operations = await operationsOf(platform);
    const summaries = page.locator('.opblock-summary');
    await summaries.nth(operations.length - 1).waitFor();
    const shown = await summaries.evaluateAll((blocks) =>
      blocks.map((block) => {
        const method = block.querySelector('.opblock-summary-method')?.textContent;
        return `${method} ${block.querySelector('[data-path]')?.getAttribute('data-path')}`;
      }),
    );
    assert.deepEqual(shown.toSorted(), operations.toSorted());
    assert.deepEqual(complaints, []);
    const others = asked.filter((url) => !url.startsWith('data:') && !url.startsWith(`${platform.url}/`));
    assert.deepEqual(others, []);
  });
});

async function operationsOf(platform: Platform): Promise<string[]> {
  const { paths } = (await (await platform.request('/openapi.json')).json()) as { paths: Record<string, object> };
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
  );
}
