import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const PLACES = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

const FLAGS = [
  '--headless',
  // Tests run as root in containers, where the sandbox is not available.
  '--no-sandbox',
  '--disable-gpu',
  // Only the test may use the network.
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const found = findChromium(process.env['CHROMIUM']);

/** The installed Chromium, if there is one. */
export function chromiumProgram(): string | undefined {
  return found;
}

/**
 * For `test(name, { skip: withoutBrowser() }, ...)`: the reason why browser tests cannot run here, also logged; otherwise
 * false.
 */
export function withoutBrowser(): string | false {
  if (found !== undefined) return false;
  const reason = `no Chromium on this machine: install one, or name one in the variable CHROMIUM`;
  console.error(`SKIPPED, NOT PASSED: ${reason}`);
  return reason;
}

/** Starts the installed Chromium, headless; nothing is downloaded. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error('launch a browser: no Chromium is installed');
  return await chromium.launch({ executablePath: found, args: FLAGS });
}

/** A Chromium named explicitly must exist: a wrong path is not a reason to skip. */
function findChromium(named: string | undefined): string | undefined {
  if (!named) return PLACES.find((place) => existsSync(place));
  if (!existsSync(named)) throw new Error(`CHROMIUM is ${named}: no such file`);
  return named;
}
