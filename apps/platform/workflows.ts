/**
 * Every workflow that the platform runs, exported by name, and nothing else: an engine may bundle this file and what it
 * imports for a sandbox of its own. There is none yet.
 */
export {};
