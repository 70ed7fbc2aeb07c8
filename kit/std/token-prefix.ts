/**
 * What every token of ours begins with. Logs, traces and scanners of repositories find tokens by it, so one with a prefix
 * that is not here would be printed: a test looks for such prefixes in the sources.
 */
export const TOKEN_PREFIXES = { access: 'fst_', session: 'fss_', bootstrap: 'fsb_' } as const;
