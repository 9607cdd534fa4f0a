import type { BoardClient } from '../client/board-client.js'
import { followRun } from '../client/follow-run.js'
import { byteLines } from '../client/lines.js'
import { LogText } from '../model/board/log-text.js'
import type { LogPiece, Run } from '../model/board/run.js'
import type { Output } from './terminal/output.js'
import { toTerminalJson, toTerminalLine, toTerminalText } from './terminal/text.js'

/** Longer lines are printed in pieces. */
const MAX_LINE_BYTES = 64 * 1024

/**
 * Prints the log of a run as it is written, up to its end: as text or, with `json`, as a JSON line for each piece and a
 * last one for the run.
 *
 * @returns the run; undefined if the output was closed
 */
export async function followRunLog(
  client: BoardClient,
  id: string,
  { output, json }: { output: Output; json: boolean },
): Promise<Run | undefined> {
  const ended: { run?: Run } = {}
  const pieces = piecesOf(client, id, output.closed, run => {
    ended.run = run
  })
  if (json) {
    const toShown = output.isTerminal ? toTerminalJson : unchanged
    for await (const piece of pieces) await output.print(toShown(JSON.stringify(piece)))
    if (ended.run) await output.print(toShown(JSON.stringify(ended.run)))
  } else {
    const toShown = output.isTerminal ? toTerminalText : unchanged
    for await (const line of byteLines(textOf(pieces), MAX_LINE_BYTES)) await output.print(toShown(line.toString()))
  }
  return ended.run
}

async function* piecesOf(
  client: BoardClient,
  id: string,
  signal: AbortSignal,
  onEnd: (run: Run) => void,
): AsyncGenerator<LogPiece> {
  const news = followRun(client, id, {
    signal,
    onInterrupted: (error, milliseconds) => {
      const seconds = Math.ceil(milliseconds / 1000)
      process.stderr.write(`${toTerminalLine(error.message)} Trying again in ${seconds} s.\n`)
    },
  })
  for await (const item of news) {
    if ('piece' in item) yield item.piece
    else onEnd(item.run)
  }
}

async function* textOf(pieces: AsyncIterable<LogPiece>): AsyncGenerator<Buffer> {
  const text = new LogText()
  for await (const piece of pieces) yield Buffer.from(text.add(piece))
}

function unchanged(text: string): string {
  return text
}
