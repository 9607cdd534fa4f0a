import type { Database } from '../files/database.js'

/** A write that has to reach the disk and changes nothing that a caller reads. */
const PROBE = /* sql */ `
  INSERT INTO meta (name, value) VALUES ('probe', 1) ON CONFLICT (name) DO UPDATE SET value = value + 1`

/** Proves that the database can commit. @throws AppError `unavailable/…` */
export function checkWritable(database: Database): void {
  database.transaction(() => database.run(PROBE))
}
