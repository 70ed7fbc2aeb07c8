import { type LocalPrincipal, principalName } from '../../domain/channel-acl.ts';
import { type OpenStream, ticketFor } from '../../domain/control-message.ts';
import type { OpenFrame } from '../../domain/frame.ts';
import { LinkedBytes } from '../byte-stream.ts';
import type { FrameLink, LinkHandlers } from '../link.ts';
import type { Uplink } from '../uplink.ts';

const NO_WINDOW = { messages: 0, bytes: 0 };

/**
 * Bytes between a local process and the platform. Nothing is buffered here: a slow side slows the other, and when one is lost
 * the other is closed.
 */
export function tunnelThrough(
  uplink: Pick<Uplink, 'openBytes'>,
  { principal, session }: { readonly principal: LocalPrincipal; readonly session: string },
) {
  return (link: FrameLink, open: OpenFrame, version: number): LinkHandlers => {
    const { channel: name, target, stream, ticket } = open;
    const memory = { ...open.memory, incarnation: session, ofIncarnation: undefined };
    link.send({ kind: 'opened', version, session, memory, window: NO_WINDOW });
    /** Why the process closed its end, until the upstream is open: only then can the platform be told. */
    let lastWord: string | undefined;
    let isOpen = false;
    const opened = (): boolean => {
      isOpen = true;
      if (lastWord !== undefined) upstream.destroy(lastWord);
      return lastWord === undefined;
    };
    const local = new LinkedBytes(link, {
      data: (data) => {
        if (!upstream.write(data)) local.pause();
      },
      room: () => upstream.resume(),
      ended: () => upstream.end(),
      closed: (why) => {
        if (why !== undefined && isOpen) upstream.destroy(why);
        else lastWord = why;
      },
    });
    const upstream = uplink.openBytes(
      { name, target, process: principalName(principal), stream, ticket },
      {
        data: (data) => {
          if (opened() && !local.write(data)) upstream.pause();
        },
        room: () => {
          if (opened()) local.resume();
        },
        ended: () => {
          if (opened()) local.end();
        },
        closed: (why) => {
          if (why !== undefined) local.destroy(why);
        },
      },
    );
    return local;
  };
}

/**
 * No local process can serve the tunnel. The platform waits for a call back, so the fleetlet calls back and reports the
 * failure.
 */
export function refuseTunnel(uplink: Pick<Uplink, 'openBytes'>, wanted: OpenStream): void {
  const { channel: name, target, stream } = wanted;
  const refuse = (): void => bytes.destroy('the process that serves the target is not connected');
  const bytes = uplink.openBytes(
    { name, target, stream, ticket: ticketFor(wanted) },
    { data: refuse, room: refuse, ended: refuse, closed: () => {} },
  );
}
