import type { UplinkState } from '#contexts/channels';
import type { Logger } from '#kit/telemetry';

/** Logs changes of the connection to the fleetlet, each once. */
export function stateLog(log: Logger): (state: UplinkState) => void {
  let said = '';
  return (state) => {
    if (state.kind === 'connecting') return;
    const key = state.kind === 'disconnected' ? state.why : state.kind;
    if (key === said) return;
    said = key;
    if (state.kind === 'connected') log.info({}, 'connected to the fleetlet');
    else if (state.kind === 'disconnected') log.warn({ reason: state.why }, 'disconnected from the fleetlet; retrying');
    else log.error({ code: state.reason, reason: state.message }, 'refused by the fleetlet; retrying slowly');
  };
}
