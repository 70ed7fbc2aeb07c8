import { ChannelError } from '../domain/channel-error.ts';

/** Protobuf wire types; all others are skipped. */
const VARINT = 0;
const BYTES = 2;

const NOTHING = new Uint8Array(0);

export function varintSize(value: number): number {
  if (value < 0x80) return 1;
  let size = 1;
  for (let rest = value; rest >= 0x80; rest = Math.floor(rest / 0x80)) size += 1;
  return size;
}

/** Writes into a buffer of exactly the size measured before. Field numbers are below 16, so a tag is one byte. */
export class WireWriter {
  readonly #buffer: Buffer;
  #at = 0;

  constructor(size: number) {
    this.#buffer = Buffer.allocUnsafe(size);
  }

  done(): Uint8Array {
    return this.#buffer;
  }

  /** The head of a message of this size, or of packed numbers. */
  head(field: number, size: number): void {
    this.#byte((field << 3) | BYTES);
    this.varint(size);
  }

  /** Zero and empty values are omitted, here and below; the size functions match. */
  number(field: number, value: number): void {
    if (value === 0) return;
    this.#byte((field << 3) | VARINT);
    this.varint(value);
  }

  bytes(field: number, data: Uint8Array): void {
    if (data.length === 0) return;
    this.head(field, data.length);
    this.#buffer.set(data, this.#at);
    this.#at += data.length;
  }

  text(field: number, text: string, size: number): void {
    if (size === 0) return;
    this.head(field, size);
    this.#at += this.#buffer.write(text, this.#at, 'utf8');
  }

  varint(value: number): void {
    let rest = value;
    while (rest >= 0x80) {
      this.#byte((rest % 0x80) | 0x80);
      rest = Math.floor(rest / 0x80);
    }
    this.#byte(rest);
  }

  #byte(value: number): void {
    this.#buffer[this.#at] = value;
    this.#at += 1;
  }
}

export function numberSize(value: number): number {
  return value === 0 ? 0 : 1 + varintSize(value);
}

export function bytesSize(size: number): number {
  return size === 0 ? 0 : 1 + varintSize(size) + size;
}

/** Reads one field after the other. Numbers beyond the exact range of a JavaScript number are malformed. */
export class WireReader {
  readonly #buffer: Buffer;
  #at = 0;
  #end: number;
  /** The number of the field that `next` found. */
  field = 0;
  #type = 0;

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#end = bytes.length;
  }

  next(): boolean {
    if (this.#at >= this.#end) return false;
    const tag = this.#varint();
    this.field = Math.floor(tag / 8);
    this.#type = tag % 8;
    if (this.field === 0) throw malformed('a field has the number 0');
    return true;
  }

  number(): number {
    this.#expect(VARINT);
    return this.#varint();
  }

  /** True for any number but 0, however large. */
  flag(): boolean {
    this.#expect(VARINT);
    let set = false;
    for (let count = 0; count < 10; count += 1) {
      const byte = this.#byte();
      if ((byte & 0x7f) !== 0) set = true;
      if (byte < 0x80) return set;
    }
    throw malformed('a number has more than ten bytes');
  }

  bytes(): Uint8Array {
    const size = this.#size();
    if (size === 0) return NOTHING;
    const from = this.#at;
    this.#at += size;
    return this.#buffer.subarray(from, this.#at);
  }

  text(): string {
    const size = this.#size();
    const from = this.#at;
    this.#at += size;
    return size === 0 ? '' : this.#buffer.toString('utf8', from, this.#at);
  }

  /** A repeated number: packed, or a single one. */
  numbers(into: number[]): void {
    if (this.#type === VARINT) {
      into.push(this.#varint());
      return;
    }
    const size = this.#size();
    const until = this.#at + size;
    while (this.#at < until) into.push(this.#varint());
    if (this.#at !== until) throw malformed('packed numbers end in the middle of one');
  }

  /** Reads the message that is next up to its end, and continues after it. */
  within<T>(read: (reader: WireReader) => T): T {
    const size = this.#size();
    const outer = this.#end;
    const end = this.#at + size;
    this.#end = end;
    const result = read(this);
    this.#at = end;
    this.#end = outer;
    return result;
  }

  /** Skips a field of a newer release. */
  skip(): void {
    if (this.#type === VARINT) this.flag();
    else if (this.#type === BYTES) this.#advance(this.#size());
    else if (this.#type === 1) this.#advance(8);
    else if (this.#type === 5) this.#advance(4);
    else throw malformed(`a field has the wire type ${this.#type}`);
  }

  #advance(size: number): void {
    if (this.#at + size > this.#end) throw malformed('the frame ends in the middle of a field');
    this.#at += size;
  }

  #size(): number {
    this.#expect(BYTES);
    const size = this.#varint();
    if (this.#at + size > this.#end) throw malformed('the frame ends in the middle of a field');
    return size;
  }

  #varint(): number {
    const first = this.#byte();
    if (first < 0x80) return first;
    let value = first & 0x7f;
    for (let scale = 0x80; ; scale *= 0x80) {
      const byte = this.#byte();
      value += (byte & 0x7f) * scale;
      if (value > Number.MAX_SAFE_INTEGER) throw malformed('a number is too large, or negative');
      if (byte < 0x80) return value;
      if (scale >= 2 ** 56) throw malformed('a number has too many bytes');
    }
  }

  #byte(): number {
    const byte = this.#at < this.#end ? this.#buffer[this.#at] : undefined;
    if (byte === undefined) throw malformed('the frame ends in the middle of a field');
    this.#at += 1;
    return byte;
  }

  #expect(type: number): void {
    if (this.#type !== type) throw malformed(`field ${this.field} has the wire type ${this.#type}`);
  }
}

export function malformed(why: string, cause?: unknown): ChannelError {
  return new ChannelError('MALFORMED_FRAME', `read a frame: ${why}`, cause === undefined ? {} : { cause });
}
