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
  // Tests run as root in containers, where the sandbox cannot be.
  '--no-sandbox',
  '--disable-gpu',
  // Nothing but the test talks to the network.
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

const found = findChromium(process.env['CHROMIUM']);

/** The machine's own Chromium, if it has one. */
export function chromiumProgram(): string | undefined {
  return found;
}

/** For `test(name, { skip: withoutBrowser() }, ...)`: why a test of the browser cannot run here, said aloud; else false. */
export function withoutBrowser(): string | false {
  if (found !== undefined) return false;
  const reason = `no Chromium on this machine: install one, or name one in the variable CHROMIUM`;
  console.error(`SKIPPED, NOT PASSED: ${reason}`);
  return reason;
}

/** The machine's own Chromium, headless; nothing is downloaded. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  if (found === undefined) throw new Error('launch a browser: there is no Chromium on this machine');
  return await chromium.launch({ executablePath: found, args: FLAGS });
}

/** One that is named must be there: a wrong name is no reason to skip. */
function findChromium(named: string | undefined): string | undefined {
  if (!named) return PLACES.find((place) => existsSync(place));
  if (!existsSync(named)) throw new Error(`CHROMIUM is ${named}: there is nothing`);
  return named;
}
