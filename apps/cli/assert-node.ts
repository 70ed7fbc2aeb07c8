/**
 * Imported before anything else. The packaged program could be started by any Node, and an old one would stop at some
 * missing part of the language or the library, in words that help nobody.
 */
const OLDEST = 26;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  process.stderr.write(
    `fleetshift needs Node ${OLDEST} or newer and was started by ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exit(1);
}
