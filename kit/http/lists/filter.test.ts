import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HttpError } from '../errors/http-error.ts';
import { FilterLanguage } from './filter.ts';

const language = new FilterLanguage({
  name: 'string',
  labels: 'map<string, string>',
  tags: 'list<string>',
  generation: 'int',
  weight: 'double',
  ready: 'bool',
  createTime: 'timestamp',
  note: 'string',
  status: { phase: 'string', since: 'timestamp', facts: 'map<string, string>' },
});

const item = {
  name: 'web',
  labels: { env: 'prod', 'example.org/team': 'a' },
  tags: ['blue', 'big'],
  generation: 3,
  weight: 1.5,
  ready: true,
  createTime: '2026-11-15T12:00:00.000Z',
  status: { phase: 'Ready', since: '2026-11-15T13:00:00.000Z', facts: { zone: 'b' } },
  undeclared: 'x',
};

describe('a filter', () => {
  for (const [source, want] of [
    ['name == "web"', true],
    ['name != "web"', false],
    ['name.startsWith("w") && name.size() == 3', true],
    ['name in ["web", "db"]', true],
    ['labels.env == "prod"', true],
    ['labels["example.org/team"] == "a"', true],
    ['"env" in labels', true],
    ['has(labels.env)', true],
    ['"blue" in tags', true],
    ['tags.exists(t, t == "big")', true],
    ['tags.all(t, t.startsWith("b"))', true],
    ['labels.exists(k, labels[k] == "a")', true],
    ['generation == 3 && generation + 1 > 3', true],
    ['weight > 1.0', true],
    ['ready && !(!ready)', true],
    ['createTime > timestamp("2026-11-15T11:59:59Z")', true],
    ['createTime + duration("1h") == status.since', true],
    ['status.phase == "Ready" && status.facts.zone == "b"', true],
    ['ready ? generation == 3 : false', true],
  ] as const) {
    it(`${source} is ${want}`, () => assert.equal(language.compile(source)(item), want));
  }

  for (const source of [
    'labels.nope == "x"',
    '!(labels.nope == "x")',
    'labels.nope != "x"',
    'labels["__proto__"] == "x"',
    'labels.constructor == "x"',
    'note == "x"',
    'note != "x"',
    'tags[7] == "x"',
    'status.facts.nope == "x"',
  ]) {
    it(`does not match what lacks its field: ${source}`, () => assert.equal(language.compile(source)(item), false));
  }

  it('finds the other side of an or, when one side lacks its field', () => {
    assert.equal(language.compile('labels.nope == "x" || name == "web"')(item), true);
    assert.equal(language.compile('status.phase == "Ready"')({ ...item, status: undefined }), false);
    assert.equal(language.compile('status.phase == "Ready"')({ ...item, status: null }), false);
  });

  for (const { source, at, why } of [
    { why: 'syntax', source: 'name = "x"', at: 5 },
    { why: 'it ends too early', source: 'name == ', at: 8 },
    { why: 'an unknown field', source: 'ready && nmae == "x"', at: 9 },
    { why: 'a field that is not declared', source: 'undeclared == "x"', at: 0 },
    { why: 'an unknown inner field', source: 'status.phse == "x"', at: 7 },
    { why: 'types that do not fit', source: 'generation == "3"', at: 0 },
    { why: 'no condition', source: 'name', at: undefined },
    { why: 'no condition either', source: 'generation + 1', at: undefined },
    { why: 'a time that is none', source: 'ready || createTime > timestamp("soon")', at: 22 },
    { why: 'a regular expression', source: 'name.matches("(a+)+$")', at: 0 },
    { why: 'a loop in a loop', source: 'tags.all(a, tags.all(b, a == b))', at: 12 },
    { why: 'a loop over a list of its own', source: '[1, 2].all(a, a > 0)', at: 0 },
    { why: 'a value that doubles', source: 'cel.bind(a, name + name, a == "x")', at: 0 },
    { why: 'a list that is built', source: 'tags.map(t, t + t) == []', at: 0 },
    { why: 'any type', source: 'dyn(name) == 1', at: 0 },
    { why: 'too many parts', source: Array(200).fill('ready').join(' && '), at: undefined },
    { why: 'too deep', source: `${'('.repeat(100)}ready${')'.repeat(100)}`, at: undefined },
    { why: 'too long', source: `ready ${' '.repeat(2000)}`, at: undefined },
    { why: 'nothing', source: '', at: 0 },
  ]) {
    it(`is refused: ${why}`, () => {
      assert.throws(
        () => language.compile(source),
        (error) => {
          assert.ok(error instanceof HttpError, String(error));
          assert.equal(error.code, 'INVALID_FILTER');
          assert.equal(error.faults[0]?.path, 'query/filter');
          if (at !== undefined) assert.equal(error.details['position'], at);
          return true;
        },
      );
    });
  }

  it('that cannot be worked out on an item is a fault of the filter, not of the server', () => {
    const divide = language.compile('10 / (generation - 3) == 1');
    assert.throws(
      () => divide(item),
      (error) => error instanceof HttpError && error.code === 'INVALID_FILTER',
    );
  });

  it('describes itself', () => {
    assert.match(language.describe(), /`labels` \(map<string, string>\)/);
    assert.match(language.describe(), /`phase` \(string\)/);
  });
});
