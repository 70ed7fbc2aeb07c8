import { type LocalPrincipal, principalName } from '../../domain/channel-acl.ts';
import { type OpenStream, ticketFor } from '../../domain/control-message.ts';
import type { OpenFrame } from '../../domain/frame.ts';
import { LinkedBytes } from '../byte-stream.ts';
import type { FrameLink, LinkHandlers } from '../link.ts';
import type { Uplink } from '../uplink.ts';

const NO_WINDOW = { messages: 0, bytes: 0 };

/**
 * Bytes between a local process and the platform. Nothing is kept here: whichever side is slow slows the other, and
 * when one is lost the other is closed.
 */
export function tunnelThrough(
  uplink: Pick<Uplink, 'openBytes'>,
  { principal, session }: { readonly principal: LocalPrincipal; readonly session: string },
) {
  return (link: FrameLink, open: OpenFrame, version: number): LinkHandlers => {
    const { channel: name, target, stream, ticket } = open;
    const memory = { ...open.memory, incarnation: session, ofIncarnation: undefined };
    link.send({ kind: 'opened', version, session, memory, window: NO_WINDOW });
    /** Why the process has given it up, while there is nobody to say it to yet: whoever asked for it waits for the call. */
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

/** Nobody here can take it. Whoever asked for it waits to be called, so it is called, and told so. */
export function refuseTunnel(uplink: Pick<Uplink, 'openBytes'>, wanted: OpenStream): void {
  const { channel: name, target, stream } = wanted;
  const refuse = (): void => bytes.destroy('the process that speaks for the target is not there');
  const bytes = uplink.openBytes(
    { name, target, stream, ticket: ticketFor(wanted) },
    { data: refuse, room: refuse, ended: refuse, closed: () => {} },
  );
}
