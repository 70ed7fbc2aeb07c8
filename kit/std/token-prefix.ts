/**
 * The prefixes of all FleetShift tokens. Logs, traces and repository scanners recognise tokens by them, so a token with
 * any other prefix would be printed: a test searches the sources for such prefixes.
 */
export const TOKEN_PREFIXES = { access: 'fst_', session: 'fss_', bootstrap: 'fsb_' } as const;
