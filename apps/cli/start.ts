import { COMMANDS } from './commands.ts';
import { runProcess } from './run-process.ts';

await runProcess(COMMANDS);
