import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkPath, folded } from './safe-path.ts';

describe('a path', () => {
  for (const path of ['a', 'etc/app.conf', 'a/b/c/d', '.config/app', 'ümläut/文字', 'a..b', 'con-fig', '..a']) {
    it(`may be ${path}`, () => assert.deepEqual(checkPath(path), { kind: 'path', path }));
  }

  const REFUSED: readonly (readonly [string, RegExp])[] = [
    ['', /empty/],
    ['/etc/passwd', /absolute/],
    ['../up', /part \.\./],
    ['a/../../up', /part \.\./],
    ['a/./b', /part \./],
    ['a//b', /empty part/],
    ['a/', /empty part/],
    ['a\\..\\b', /backslash/],
    ['C:/windows', /colon/],
    ['a\u0000b', /control/],
    ['a\nb', /control/],
    ['cafe\u0301', /normal form/],
    ['nul', /device/],
    ['a/COM1.txt', /device/],
    ['a.', /ends with/],
    ['a /b', /ends with/],
    ['.fleetshift/instance', /reserved for the agent/],
    ['.FleetShift/x', /reserved for the agent/],
    ['a/.fleetshift-draft-1', /reserved for the agent/],
    ['\uff0efleetshift/x', /reserved for the agent/],
    [`a/${'x'.repeat(201)}`, /200/],
    ['x/'.repeat(600), /1024/],
  ];
  for (const [path, why] of REFUSED) {
    it(`is not ${JSON.stringify(path.slice(0, 40))}`, () => {
      const checked = checkPath(path);
      assert.equal(checked.kind, 'fault');
      assert.match(checked.kind === 'fault' ? checked.message : '', why);
    });
  }

  it('is the same as one that differs in case or in look only', () => {
    assert.equal(folded('Etc/App'), folded('eTC/aPP'));
    assert.equal(folded('\uff21'), folded('a'));
    assert.notEqual(folded('a'), folded('b'));
  });
});
