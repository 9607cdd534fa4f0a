import type { LogPiece } from '../../../model/board/run.js'
import type { Connection, Row } from '../connection/connection.js'
import { textArray } from '../connection/text-array.js'
import { refuseClosed } from './board-lock.js'

/** Blocks other appends to this log until the transaction ends. */
const FIND = /* sql */ `
  SELECT seq, log_seq, log_bytes, log_dropped_bytes, (SELECT closed FROM board) AS closed
  FROM runs WHERE id = $1 FOR UPDATE`
const APPEND = /* sql */ `
  INSERT INTO run_log (run, seq, at, stream, text)
  SELECT $1, $2::bigint + place, at, stream, decode(hex, 'hex')
  FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS pieces (at, stream, hex, place)`
const OLDEST = /* sql */ `
  SELECT seq, octet_length(text) AS bytes FROM run_log WHERE run = $1 AND seq > $2 ORDER BY seq LIMIT $3`
const DROP = /* sql */ `DELETE FROM run_log WHERE run = $1 AND seq <= $2`
const COUNT = /* sql */ `UPDATE runs SET log_seq = $2, log_bytes = $3, log_dropped_bytes = $4 WHERE seq = $1`
const READ = /* sql */ `
  SELECT run_log.seq, at, stream, text FROM run_log JOIN runs ON runs.seq = run
  WHERE id = $1 AND run_log.seq > $2 ORDER BY run_log.seq LIMIT $3`

/** Pieces may be small, so this many are read together. */
const PIECES_AT_ONCE = 64
/** A longer log needs several reads. */
const PIECES_A_READ = 1_024

/**
 * Adds to the log of a run, in a transaction, and drops its oldest pieces beyond the bounds.
 *
 * @throws AppError `unavailable/board_moved`, `unavailable/import_under_way`
 */
export async function appendLog(
  connection: Connection,
  id: string,
  pieces: readonly Omit<LogPiece, 'seq'>[],
  most: { bytes: number; pieces: number },
): Promise<LogPiece[]> {
  const [log] = await connection.run(FIND, id)
  if (!log) return []
  refuseClosed(log)
  const run = Number(log.seq)
  const before = Number(log.log_seq)
  const encoded = pieces.map(({ text }) => Buffer.from(text))
  const last = before + pieces.length
  let bytes = Number(log.log_bytes) + encoded.reduce((total, { length }) => total + length, 0)
  let dropped = Number(log.log_dropped_bytes)
  const column = (values: readonly string[]) => textArray(values)
  const hex = column(encoded.map(text => text.toString('hex')))
  const [at, stream] = [column(pieces.map(piece => piece.at)), column(pieces.map(piece => piece.stream))]
  await connection.run(APPEND, run, before, at, stream, hex)
  let droppedTo = 0
  for (let isDone = bytes <= most.bytes && last <= most.pieces; !isDone; ) {
    const oldest = await connection.run(OLDEST, run, droppedTo, PIECES_AT_ONCE)
    isDone = oldest.length === 0
    for (const row of oldest) {
      isDone = bytes <= most.bytes && last - Number(row.seq) < most.pieces
      if (isDone) break
      droppedTo = Number(row.seq)
      bytes -= Number(row.bytes)
      dropped += Number(row.bytes)
    }
  }
  if (droppedTo > 0) await connection.run(DROP, run, droppedTo)
  await connection.run(COUNT, run, last, bytes, dropped)
  return pieces.map((piece, index) => ({ seq: before + index + 1, ...piece }))
}

/** Pieces after `after`, up to about `maxBytes` of text and a bounded number. */
export async function readLog(
  connection: Connection,
  id: string,
  { after, maxBytes }: { after: number; maxBytes: number },
): Promise<LogPiece[]> {
  const pieces: LogPiece[] = []
  let bytes = 0
  while (bytes < maxBytes && pieces.length < PIECES_A_READ) {
    const rows = await connection.run(READ, id, pieces.at(-1)?.seq ?? after, PIECES_AT_ONCE)
    for (const row of rows) {
      const text = toBytes(row)
      pieces.push({ ...toPiece(row), text: text.toString() })
      bytes += text.length
      if (bytes >= maxBytes) return pieces
    }
    if (rows.length < PIECES_AT_ONCE) break
  }
  return pieces
}

/** Bytes in the text form of PostgreSQL: `\x`, then hexadecimal digits. */
function toBytes(row: Row): Buffer {
  return Buffer.from(String(row.text).slice(2), 'hex')
}

function toPiece(row: Row): Omit<LogPiece, 'text'> {
  return { seq: Number(row.seq), at: String(row.at), stream: row.stream as LogPiece['stream'] }
}
