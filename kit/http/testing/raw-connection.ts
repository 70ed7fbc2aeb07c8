import { connect, type Socket } from 'node:net';

export interface RawAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A client that sends exactly the given text, valid or not. */
export class RawConnection {
  readonly #socket: Socket;
  #received = '';
  #isClosed = false;
  #changed = Promise.withResolvers<void>();

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding('utf8');
    socket.on('data', (text: string) => this.#note(() => (this.#received += text)));
    socket.on('close', () => this.#note(() => (this.#isClosed = true)));
    socket.on('error', () => {});
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1' });
    const connection = new RawConnection(socket);
    await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    return connection;
  }

  get received(): string {
    return this.#received;
  }

  send(text: string): void {
    this.#socket.write(text);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Closes the connection without a word. */
  destroy(): void {
    this.#socket.destroy();
  }

  async until(condition: (received: string) => boolean): Promise<string> {
    while (!condition(this.#received)) {
      if (this.#isClosed) throw new Error(`closed after ${JSON.stringify(this.#received.slice(-500))}`);
      await this.#changed.promise;
    }
    return this.#received;
  }

  /** All responses until the server closed the connection. */
  async untilClosed(): Promise<RawAnswer[]> {
    while (!this.#isClosed) await this.#changed.promise;
    return parseAnswers(this.#received);
  }

  #note(change: () => void): void {
    change();
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }
}

function parseAnswers(text: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = text; rest !== ''; ) {
    const end = rest.indexOf('\r\n\r\n');
    const [statusLine = '', ...lines] = rest.slice(0, end).split('\r\n');
    const headers = Object.fromEntries(lines.map((line) => splitHeader(line)));
    const length = Number(headers['content-length'] ?? 0);
    answers.push({ status: Number(statusLine.split(' ')[1]), headers, body: rest.slice(end + 4, end + 4 + length) });
    rest = rest.slice(end + 4 + length);
  }
  return answers;
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(':');
  return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
}
