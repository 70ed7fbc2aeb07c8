import { fileURLToPath } from 'node:url';

/**
 * `npm start`: the platform with a fleet of folders to try it on, unless somebody says what he wants. The demo needs an
 * instance of its own with an admin token, so whoever chooses one of those has chosen.
 */
const CHOICES = ['demo-fleet', 'database', 'admin-token-file', 'config'];
/** What the variable of that name says is for the command line client. */
const FLAG_ONLY = 'config';

const given = process.argv.slice(2);
const isChosen = CHOICES.some(
  (name) =>
    given.some((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`)) ||
    (name !== FLAG_ONLY && process.env[`FLEETSHIFT_${name.toUpperCase().replaceAll('-', '_')}`] !== undefined),
);
// As if the program itself had been started, which starts itself once more for the agent of the demo.
const main = new URL('../apps/cli/main.ts', import.meta.url);
process.argv.splice(1, 1, fileURLToPath(main), isChosen ? 'serve' : 'demo');
await import(main.href);
