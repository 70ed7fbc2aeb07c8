import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { GO_YAML_VECTORS } from '../testing/go-yaml-vectors.ts';
import { readGoYaml } from './read-go-yaml.ts';

describe('reading YAML as Go does', () => {
  for (const [document, json] of GO_YAML_VECTORS) {
    it(`reads ${JSON.stringify(document)} as ${json ?? 'nothing'}`, () => {
      const reading = readGoYaml(document);
      if (json !== undefined) assert.deepEqual(reading, { kind: 'value', value: asRead(json) });
      // A list or a string is a valid value; it is refused later, because it is not an object.
      else assert.ok(reading.kind === 'fault' || typeof reading.value !== 'object' || Array.isArray(reading.value));
    });
  }

  it('refuses a small document that aliases make large', () => {
    const lines = ['a0: &a0 [x, x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 8; level += 1) {
      const list = Array.from({ length: 10 }, () => `*a${level - 1}`).join(', ');
      lines.push(`a${level}: &a${level} [${list}]`);
    }
    assert.equal(readGoYaml(lines.join('\n')).kind, 'fault');
  });

  it('refuses nesting without end', () => {
    assert.equal(readGoYaml(`a: ${'['.repeat(500)}${']'.repeat(500)}`).kind, 'fault');
  });

  const broken = ['password: "hunter2', 'a: hunter2: b', '- hunter2\nb', '? hunter2 : [', '*hunter2'];
  for (const document of broken) {
    it(`does not quote ${JSON.stringify(document)}, which may be a Secret's, in what is wrong with it`, () => {
      const reading = readGoYaml(document);
      assert.equal(reading.kind, 'fault');
      assert.doesNotMatch(JSON.stringify(reading), /hunter2/);
    });
  }
});

/** Without prototypes, as the reader creates them. */
function asRead(json: string): unknown {
  return JSON.parse(json, (_, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.assign(Object.create(null) as object, value)
      : value,
  );
}
