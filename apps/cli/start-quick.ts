import { GET, VERSION } from './quick-commands.ts';
import { runProcess } from './run-process.ts';

await runProcess([GET, VERSION]);
