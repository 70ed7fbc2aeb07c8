import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FrameReader } from './frame-reader.ts';

describe('FrameReader', () => {
  it('gives lines as they end', () => {
    const frames = new FrameReader(100);
    assert.deepEqual(frames.push(Buffer.from('{"a"')), []);
    assert.deepEqual(frames.push(Buffer.from(':1}\n{"b":2}\n{"c')), ['{"a":1}', '{"b":2}']);
    assert.equal(frames.held, 3);
    assert.deepEqual(frames.push(Buffer.from('":3}\n')), ['{"c":3}']);
    assert.equal(frames.held, 0);
  });

  it('holds no more of a line than allowed', () => {
    const whole = new FrameReader(10);
    whole.push(Buffer.from('123456'));
    assert.throws(() => whole.push(Buffer.from('78901')), { code: 'RESPONSE_TOO_LARGE' });
    const ended = new FrameReader(10);
    ended.push(Buffer.from('123456'));
    assert.throws(
      () => ended.push(Buffer.from('78901\n')),
      { code: 'RESPONSE_TOO_LARGE' },
      'also when its end has come',
    );
    const once = new FrameReader(10);
    assert.throws(() => once.push(Buffer.from('a\n12345678901\nb\n')), { code: 'RESPONSE_TOO_LARGE' });
  });

  it('does not care how long all lines are together', () => {
    const frames = new FrameReader(10);
    assert.equal(frames.push(Buffer.from('123456789\n'.repeat(1000))).length, 1000);
  });
});
