import type { BoardClient } from '../client/board-client.js'
import { followRun } from '../client/follow-run.js'
import { LogText } from '../model/board/log-text.js'
import type { Run } from '../model/board/run.js'
import { LineBuffer } from './line-buffer.js'
import type { Output } from './output.js'
import { toTerminalJson, toTerminalLine, toTerminalText } from './terminal-text.js'

/**
 * Prints the log of a run as it is written, to its end: as text, or with `json` as a line of JSON per piece and a last
 * one for the run.
 *
 * @returns the run; undefined if the output was closed
 */
export async function followRunLog(
  client: BoardClient,
  id: string,
  { output, json }: { output: Output; json: boolean },
): Promise<Run | undefined> {
  const toShown = output.isTerminal ? (json ? toTerminalJson : toTerminalText) : (text: string) => text
  const text = new LogText()
  const lines = new LineBuffer()
  const news = followRun(client, id, {
    signal: output.closed,
    onInterrupted: (error, milliseconds) => {
      const seconds = Math.ceil(milliseconds / 1000)
      process.stderr.write(`${toTerminalLine(error.message)} Trying again in ${seconds} s.\n`)
    },
  })
  for await (const item of news) {
    if (json) await output.print(toShown(JSON.stringify('run' in item ? item.run : item.piece)))
    else await output.print(toShown('run' in item ? lines.rest() : lines.add(text.add(item.piece))))
    if ('run' in item) return item.run
  }
  return undefined
}
