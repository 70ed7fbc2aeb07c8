/**
 * Imported before anything else. The packaged program could be started by any version of Node; an old one would fail on
 * a missing feature with an unhelpful message.
 */
const OLDEST = 26;

if (Number.parseInt(process.versions.node, 10) < OLDEST) {
  process.stderr.write(
    `fleetshift needs Node ${OLDEST} or newer and was started by ${process.versions.node} (${process.execPath}).\n`,
  );
  process.exit(1);
}
