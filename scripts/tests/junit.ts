import type { FileResult, TestResult } from './run-job.ts';

/** The results as JUnit XML, which most CI servers read. */
export function junit(files: readonly FileResult[]): string {
  return ['<?xml version="1.0" encoding="UTF-8"?>', '<testsuites>', ...files.map(suite), '</testsuites>', ''].join(
    '\n',
  );
}

function suite({ file, tests, ms, error }: FileResult): string {
  const failures = tests.filter(({ outcome }) => outcome === 'failed').length;
  const skipped = tests.filter(({ outcome }) => outcome === 'skipped').length;
  const counts = `tests="${tests.length}" failures="${failures}" skipped="${skipped}" errors="${error ? 1 : 0}"`;
  const own = error === undefined ? [] : [`    <testcase name="file"><error>${escaped(error)}</error></testcase>`];
  return [
    `  <testsuite name="${escaped(file)}" ${counts} time="${inSeconds(ms)}">`,
    ...own,
    ...tests.map((test) => testCase(file, test)),
    '  </testsuite>',
  ].join('\n');
}

function testCase(file: string, { path, outcome, ms, reason = '', error = '' }: TestResult): string {
  const inner =
    outcome === 'failed'
      ? `<failure>${escaped(error)}</failure>`
      : outcome === 'skipped'
        ? `<skipped message="${escaped(reason)}"/>`
        : '';
  const name = escaped(path.join(' > '));
  return `    <testcase classname="${escaped(file)}" name="${name}" time="${inSeconds(ms)}">${inner}</testcase>`;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** XML does not allow control characters, not even escaped. */
function escaped(text: string): string {
  // oxlint-disable-next-line no-control-regex -- These are the characters that are taken out.
  return text.replaceAll(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, '').replaceAll(/[&<>"]/g, (c) => ESCAPES[c] ?? c);
}

function inSeconds(ms: number): string {
  return (ms / 1_000).toFixed(3);
}
