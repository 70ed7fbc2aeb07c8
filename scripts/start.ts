/**
 * `npm start`: the platform with a small simulated fleet to look at, unless somebody says what he wants. The fleet needs
 * the embedded database and the admin token, so whoever chooses those has chosen.
 */
const DEMO_FLEET = '24';
const CHOICES = ['demo-fleet', 'database', 'admin-token-file', 'config'];

const given = process.argv.slice(2);
const isChosen = CHOICES.some(
  (name) =>
    given.some((argument) => argument === `--${name}` || argument.startsWith(`--${name}=`)) ||
    process.env[`FLEETSHIFT_${name.toUpperCase().replaceAll('-', '_')}`] !== undefined,
);
if (!isChosen) process.env['FLEETSHIFT_DEMO_FLEET'] = DEMO_FLEET;
process.argv.splice(2, 0, 'serve');
await import('../apps/cli/main.ts');

export {};
