import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { COMMON_SETTINGS } from './common-settings.ts';
import { byteSize, duration, hostPort, integer, listOf, orNone, text } from './kinds.ts';
import { printSettings } from './print-settings.ts';
import { resolveSettings } from './resolve-settings.ts';
import type { Settings } from './setting.ts';

const group = 'Test';
const SETTINGS = {
  ...COMMON_SETTINGS,
  count: { kind: integer({ min: 0, max: 1_000_000 }), default: '1', sentence: 'A number.', group },
  listen: { kind: orNone(hostPort()), default: 'localhost:1', sentence: 'An address.', group },
  names: { kind: listOf(text()), default: 'a', sentence: 'Some names.', group },
  size: { kind: byteSize('0B', '8GiB'), default: '1MiB', sentence: 'A size.', group },
  wait: { kind: duration('0s', '30d'), default: '5s', sentence: 'A time.', group },
  word: { kind: text(), sentence: 'Any text.', group },
} as const satisfies Settings;

const count = fc.option(fc.nat({ max: 1_000_000 }), { nil: undefined });

test('a flag wins over the environment, the environment over the file, the file over the default', () => {
  fc.assert(
    fc.property(count, count, count, (flag, variable, inFile) => {
      const { values, origins } = resolveSettings({
        settings: SETTINGS,
        args: ['--config', 'c.yaml', ...(flag === undefined ? [] : [`--count=${flag}`])],
        environment: variable === undefined ? {} : { FLEETSHIFT_COUNT: String(variable) },
        readText: () => (inFile === undefined ? '' : `count: ${inFile}`),
      });
      assert.equal(values.count, flag ?? variable ?? inFile ?? 1);
      const stronger = [
        ...(flag === undefined ? [] : ['flag']),
        ...(variable === undefined ? [] : ['environment']),
        ...(inFile === undefined ? [] : ['file']),
        'default',
      ];
      assert.equal(origins.count.kind, stronger[0]);
    }),
  );
});

test('what --print-config prints is a file that gives the same values', () => {
  const host = fc.constantFrom('localhost', '127.0.0.1', '::1', 'a-b.example');
  const listen = fc.option(fc.record({ host, port: fc.nat({ max: 65_535 }) }), { nil: undefined });
  // Values of a list contain no commas and no surrounding blanks.
  const name = fc.string({ minLength: 1 }).filter((each) => each.trim() === each && !each.includes(','));
  const word = fc.option(fc.string({ minLength: 1, unit: 'grapheme' }), { nil: undefined });
  const given = fc.record({
    count: fc.nat({ max: 1_000_000 }),
    listen,
    names: fc.array(name),
    size: fc.nat({ max: 2 ** 31 }),
    wait: fc.nat({ max: 2_592_000_000 }),
    word,
  });
  fc.assert(
    fc.property(given, (wanted) => {
      const args = Object.entries(SETTINGS).flatMap(([key, { kind }]) => {
        const value: unknown = Object.hasOwn(wanted, key) ? wanted[key as keyof typeof wanted] : undefined;
        return value === undefined && key !== 'listen'
          ? []
          : [`--${key}=${(kind as { print(value: unknown): string }).print(value)}`];
      });
      const first = resolveSettings({ settings: SETTINGS, args, environment: {}, readText: () => '' });
      const printed = printSettings(SETTINGS, first);
      const again = resolveSettings({
        settings: SETTINGS,
        args: ['--config=c.yaml'],
        environment: {},
        readText: () => printed,
      });
      assert.deepEqual({ ...again.values, config: undefined }, { ...first.values, config: undefined });
    }),
  );
});
