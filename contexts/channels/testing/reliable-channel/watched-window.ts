import assert from 'node:assert/strict';
import type { ChannelWindow, MessageFrame, MessageLimits } from '../../domain/frame.ts';

/** Counts, independently of the tested code, what one end has sent over one stream and not seen acknowledged. */
export class WatchedWindow {
  readonly #window: ChannelWindow;
  readonly #limits: MessageLimits;
  readonly #sent = new Map<number, MessageFrame>();

  constructor(window: ChannelWindow, limits: MessageLimits) {
    this.#window = window;
    this.#limits = limits;
  }

  sent(frame: MessageFrame): void {
    assert.ok(!this.#sent.has(frame.id), `${frame.id} was sent twice over one stream`);
    this.#sent.set(frame.id, frame);
    const { messages, bytes } = this.#window;
    const sent = [...this.#sent.values()];
    const small = sent.filter(({ chunkedSize }) => chunkedSize === 0);
    const smallBytes = small.reduce((sum, { payload }) => sum + payload.length, 0);
    assert.ok(sent.length <= messages, `${sent.length} messages are under way`);
    assert.ok(smallBytes <= bytes || small.length === 1, `${smallBytes} bytes are under way`);
    assert.ok(sent.length - small.length <= this.#limits.largeAtOnce, 'too many large ones are under way');
  }

  acknowledged(ids: readonly number[]): void {
    for (const id of ids) this.#sent.delete(id);
  }
}
