import type { UplinkState } from '#contexts/channels';
import type { Logger } from '#kit/telemetry';

/** Says what becomes of the connection to the fleetlet, once for each change. */
export function stateLog(log: Logger): (state: UplinkState) => void {
  let said = '';
  return (state) => {
    if (state.kind === 'connecting') return;
    const key = state.kind === 'disconnected' ? state.why : state.kind;
    if (key === said) return;
    said = key;
    if (state.kind === 'connected') log.info({}, 'connected to the fleetlet');
    else if (state.kind === 'disconnected') log.warn({ reason: state.why }, 'no fleetlet; will try again');
    else
      log.error(
        { code: state.reason, reason: state.message },
        'the fleetlet refuses this process; will try again slowly',
      );
  };
}
