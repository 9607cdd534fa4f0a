import { on } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { ExitError } from '@oclif/core/errors'
import { AppError } from '../model/app-error.js'

export interface Terminal {
  /** Must be one: a pipe has no raw mode. */
  keyboard: Readable & { setRawMode(isRaw: boolean): unknown }
  /** Where the questions go. Not standard output: that belongs to the answer. */
  screen: Writable
}

/** More is no secret; so much and one more shows that it was too long. */
const MAX_CHARACTERS = 4096
/** What arrow keys and the like send. */
const KEY_SEQUENCES = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.)/g
const [CTRL_C, CTRL_D, CTRL_U] = ['\x03', '\x04', '\x15']
const BACKSPACES = ['\x7f', '\b']
/** What a shell shows for a program that Ctrl+C ended. */
const EXIT_INTERRUPTED = 130

/**
 * Asks one question after the other, and shows nothing of what is typed. Backspace and Ctrl+U mend; Ctrl+C ends the
 * command. However it ends, the terminal is as it was before.
 *
 * @throws AppError `invalid/wrong_usage` when the input ends before the answers
 */
export async function askSecrets({ keyboard, screen }: Terminal, questions: readonly string[]): Promise<string[]> {
  const keys = keysOf(keyboard)
  keyboard.setRawMode(true)
  try {
    const answers: string[] = []
    for (const question of questions) {
      screen.write(question)
      answers.push(await readLine(keys).finally(() => screen.write('\n')))
    }
    return answers
  } finally {
    keyboard.setRawMode(false)
    await keys.return(undefined)
    keyboard.pause()
  }
}

/** Character by character, however the bytes arrive. */
async function* keysOf(keyboard: Readable): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder('utf8')
  for await (const [chunk] of on(keyboard, 'data', { close: ['end', 'close'] })) {
    yield* decoder.write(chunk).replace(KEY_SEQUENCES, '')
  }
}

async function readLine(keys: AsyncGenerator<string, undefined>): Promise<string> {
  let typed: string[] = []
  for (;;) {
    const { value: key } = await keys.next()
    if (key === '\r' || key === '\n') return typed.join('')
    if (key === CTRL_C) throw new ExitError(EXIT_INTERRUPTED)
    if (key === undefined || key === CTRL_D) throw new AppError('invalid', 'wrong_usage', 'The answer is missing.')
    if (BACKSPACES.includes(key)) typed.pop()
    else if (key === CTRL_U) typed = []
    else if (key >= ' ' && typed.length <= MAX_CHARACTERS) typed.push(key)
  }
}
