import { writeSync } from 'node:fs';
import type { EventData } from 'node:test';

type RunnerEvent =
  | { readonly type: 'test:start'; readonly data: EventData.TestStart }
  | { readonly type: 'test:fail'; readonly data: EventData.TestFail }
  | { readonly type: 'other' };

/** Reporter for `node --test-reporter`: ends the process at the first test that fails, and prints its name. */
// oxlint-disable-next-line import/no-default-export, require-yield -- The runner takes the default export, a generator.
export default async function* report(events: AsyncIterable<RunnerEvent>): AsyncIterable<string> {
  const names: string[] = [];
  for await (const event of events) {
    if (event.type === 'test:start') names.splice(event.data.nesting, Number.POSITIVE_INFINITY, event.data.name);
    if (event.type === 'test:fail') {
      // The first name is the mark of the file.
      writeSync(1, `red: ${[...names.slice(1, event.data.nesting), event.data.name].join(' > ')}\n`);
      process.exit(1);
    }
  }
}
