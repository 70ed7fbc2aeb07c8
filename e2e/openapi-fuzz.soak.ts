import type { Engine } from '#kit/storage';
import { DATABASES } from '#testing/databases';
import type { OpenapiDocument } from '#testing/openapi/api-description';
import { type FuzzOptions, type FuzzReport, fuzzApi } from '#testing/openapi/fuzz-api';
import { platformHome } from '#testing/platform-process';
import type { Soak, SoakOptions } from '#testing/soak';
import { fuzzCallers } from './access/fuzz-callers.ts';

export const soak: Soak = {
  description:
    'requests generated from /openapi.json, as each role, on each database: no 5xx, no answer outside its schema',
  defaultCount: 10_000,
  async run(options) {
    for (const engine of DATABASES) {
      const { statuses, byCaller, codes } = await fuzzPlatform(engine, options);
      for (const [operation, counts] of statuses) options.log(`${engine} ${operation}: ${listed(counts)}`);
      for (const [caller, counts] of byCaller) options.log(`${engine} as ${caller}: ${listed(counts)}`);
      options.log(`${engine} problems: ${listed(codes)}`);
    }
  },
};

/** Far above the production limit for one caller, and from many addresses. */
const FLAGS = ['--rate-limit', '1000000', '--trust-proxy', '127.0.0.1'];

export async function fuzzPlatform(
  engine: Engine,
  options: SoakOptions & Pick<FuzzOptions, 'isReachable'>,
): Promise<FuzzReport> {
  const { count, seed, progress, signal, isReachable = () => true } = options;
  const home = await platformHome(engine);
  try {
    const platform = await home.start({ flags: FLAGS });
    const { url } = platform;
    const callers = fuzzCallers(platform, home.data);
    const document = (await (await platform.request('/openapi.json')).json()) as OpenapiDocument;
    const report = await fuzzApi({ url, callers, document, count, seed, progress, isReachable }, signal);
    const { said } = await platform.stop();
    const complaint = said.split('\n').find((line) => line.includes('"level":"error"'));
    if (complaint !== undefined) throw new Error(`seed ${seed}: the platform complained: ${complaint}`);
    return report;
  } finally {
    await home.dispose();
  }
}

function listed(counts: ReadonlyMap<string | number, number>): string {
  return [...counts].map(([what, count]) => `${what} x${count}`).join(', ');
}
