import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { UsageError } from '../command.ts';
import { parseJsonPath, renderTemplate, valuesAt } from './json-path.ts';

const DATA = {
  items: [
    { name: 'eu-1', labels: { stage: 'canary', 'a.example/b': 'x' }, generation: 2, ready: true },
    { name: 'us-1', labels: { stage: 'production' }, generation: 10, ready: false },
  ],
};

describe('paths and templates as kubectl has them', () => {
  for (const { path, want } of [
    { path: '{.items[*].name}', want: ['eu-1', 'us-1'] },
    { path: 'items[0].name', want: ['eu-1'] },
    { path: '.items[-1].name', want: ['us-1'] },
    { path: '$.items[0].labels.*', want: ['canary', 'x'] },
    { path: String.raw`.items[0].labels.a\.example/b`, want: ['x'] },
    { path: `.items[0].labels['a.example/b']`, want: ['x'] },
    { path: '.items[?(@.labels.stage=="canary")].name', want: ['eu-1'] },
    { path: '.items[?(@.ready != true)].name', want: ['us-1'] },
    { path: '.items[?(@.generation==10)].name', want: ['us-1'] },
    { path: '.items[5].name', want: [] },
    { path: '.nothing.at.all', want: [] },
  ]) {
    it(`finds ${path}`, () => assert.deepEqual(valuesAt(parseJsonPath(path), DATA), want));
  }

  for (const { template, want } of [
    { template: '{.items[*].name}', want: 'eu-1 us-1\n' },
    { template: '{range .items[*]}{.name}{"\\t"}{.generation}{"\\n"}{end}', want: 'eu-1\t2\nus-1\t10\n' },
    { template: 'first: {.items[0].labels}', want: 'first: {"stage":"canary","a.example/b":"x"}\n' },
    { template: '{.items[0].name}{"{}"}', want: 'eu-1{}\n' },
    { template: '{.nothing}', want: '\n' },
  ]) {
    it(`renders ${template}`, () => assert.equal(renderTemplate(template, DATA), want));
  }

  for (const template of [
    '{.items[',
    '{.items[x]}',
    '{range .items[*]}{.name}',
    '{.name}{end}',
    '{.items[?(@.a>1)]}',
  ]) {
    it(`refuses ${template}`, () => assert.throws(() => renderTemplate(template, DATA), UsageError));
  }
});
