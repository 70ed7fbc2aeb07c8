import type { TestContext } from 'node:test';
import type { AcceptStream, Connection, Headers, Stream, Transport, TransportServer } from '../transport.ts';
import { StreamRecorder } from './stream-recorder.ts';

export interface TransportUnderTest {
  readonly name: string;
  start(options: StageOptions): Promise<TransportStage>;
  /** A transport to an address without a listener. */
  nowhere(): Promise<Transport>;
  /** The client certificate, if there is one: DER. */
  readonly certificate?: Uint8Array;
}

export interface StageOptions {
  readonly accept: AcceptStream;
  readonly onThrow: (error: unknown) => void;
  readonly maxFrameBytes: number;
}

export interface TransportStage {
  readonly transport: Transport;
  readonly server: TransportServer;
  /** Cuts all connections, as a network would. */
  cut(): void;
  close(): Promise<void>;
}

export const MAX_FRAME_BYTES = 2 * 1024 * 1024;

export interface Scene {
  readonly stage: TransportStage;
  readonly connection: Connection;
  /** Errors thrown by `accept`, as reported. */
  readonly thrown: unknown[];
  /** Both ends of a new stream. */
  open(headers?: Headers): Promise<Ends>;
}

export interface Ends {
  readonly calling: StreamRecorder & { readonly stream: Stream };
  readonly called: StreamRecorder & { readonly stream: Stream };
}

/**
 * A server and a connection to it. `accept` throws for a stream with the header `refuse`, and does not admit one with
 * `stranger`.
 */
export async function setScene(t: TestContext, subject: TransportUnderTest): Promise<Scene> {
  const waiting: ((recorder: StreamRecorder) => void)[] = [];
  const thrown: unknown[] = [];
  const accept: AcceptStream = (stream) => {
    if (stream.peer.headers['refuse'] !== undefined) throw new Error('not this one');
    const recorder = new StreamRecorder();
    recorder.stream = stream;
    if (stream.peer.headers['stranger'] === undefined) stream.admit?.();
    waiting.shift()?.(recorder);
    return recorder;
  };
  const stage = await subject.start({ accept, onThrow: (error) => thrown.push(error), maxFrameBytes: MAX_FRAME_BYTES });
  t.after(() => stage.close());
  const connection = await stage.transport.connect(t.signal);
  t.after(() => connection.close());
  const open = async (headers?: Headers): Promise<Ends> => {
    const calling = new StreamRecorder();
    const { promise, resolve } = Promise.withResolvers<StreamRecorder>();
    waiting.push(resolve);
    calling.stream = connection.open(calling, headers);
    const called = await promise;
    return { calling: withStream(calling), called: withStream(called) };
  };
  return { stage, connection, thrown, open };
}

/** A round trip, which takes longer than anything started before. */
export async function roundTrip({ calling, called }: Ends): Promise<void> {
  const [there, back] = [called.frames.length, calling.frames.length];
  calling.stream.send(Buffer.from('there'));
  await called.until(() => called.frames.length > there);
  called.stream.send(Buffer.from('back'));
  await calling.until(() => calling.frames.length > back);
}

function withStream(recorder: StreamRecorder): Ends['calling'] {
  if (recorder.stream === undefined) throw new Error('the stream was not opened');
  return recorder as Ends['calling'];
}
