import { fileURLToPath } from 'node:url';

/**
 * `npm start`: runs the platform with a demo fleet of folders, unless the user chooses otherwise. The demo needs its own
 * instance and admin token, so setting any of these options turns it off.
 */
const CHOICES = ['demo-fleet', 'database', 'admin-token-file', 'config'];
/** Only the flag counts: the variable of this name configures the command line client. */
const FLAG_ONLY = 'config';

const given = process.argv.slice(2);
const isChosen = CHOICES.some(
  (name) =>
    given.some((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`)) ||
    (name !== FLAG_ONLY && process.env[`FLEETSHIFT_${name.toUpperCase().replaceAll('-', '_')}`] !== undefined),
);
// As if the program itself had been started; it starts itself once more for the demo's agent.
const main = new URL('../apps/cli/main.ts', import.meta.url);
process.argv.splice(1, 1, fileURLToPath(main), isChosen ? 'serve' : 'demo');
await import(main.href);
