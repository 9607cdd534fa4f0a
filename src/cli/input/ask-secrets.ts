import { on } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { ExitError } from '@oclif/core/errors'
import { AppError } from '../../model/app-error.js'

interface Terminal {
  /** Must be a terminal: a pipe has no raw mode. */
  keyboard: Readable & { setRawMode(isRaw: boolean): unknown }
  /** Shows the questions. Not standard output, which is for results. */
  screen: Writable
}

/** A question for a secret, or one whose answer may be shown. */
type Question = string | { text: string; isShown: true }

/** Maximum length of a secret. One more character is read, to detect longer ones. */
const MAX_CHARACTERS = 4096
/** Sequences that arrow keys and other keys send. */
const KEY_SEQUENCES = /\x1b(?:\[[0-9;?]*[ -/]*[@-~]|O.)/g
const [CTRL_C, CTRL_D, CTRL_U] = ['\x03', '\x04', '\x15']
/** Removes the last shown character. */
const ERASE = '\b \b'
const BACKSPACES = ['\x7f', '\b']
/** The exit code that shells use for a program ended by Ctrl+C. */
const EXIT_INTERRUPTED = 130

/**
 * Asks the questions in order, without echoing secrets. Backspace and Ctrl+U edit; Ctrl+C ends the command. Restores
 * the terminal in every case.
 *
 * @throws AppError `invalid/wrong_usage` if the input ends before the last answer
 */
export async function askSecrets({ keyboard, screen }: Terminal, questions: readonly Question[]): Promise<string[]> {
  const keys = keysOf(keyboard)
  keyboard.setRawMode(true)
  try {
    const answers: string[] = []
    for (const question of questions) {
      const isShown = typeof question !== 'string'
      screen.write(isShown ? question.text : question)
      const echo = isShown ? screen : undefined
      answers.push(await readLine(keys, echo).finally(() => screen.write('\n')))
    }
    return answers
  } finally {
    keyboard.setRawMode(false)
    await keys.return(undefined)
    keyboard.pause()
  }
}

/** Yields single characters, regardless of how the bytes arrive. */
async function* keysOf(keyboard: Readable): AsyncGenerator<string, undefined> {
  const decoder = new StringDecoder('utf8')
  const chunks = on(keyboard, 'data', { close: ['end', 'close'] })
  // An earlier question may have paused it.
  keyboard.resume()
  for await (const [chunk] of chunks) {
    yield* decoder.write(chunk).replace(KEY_SEQUENCES, '')
  }
}

async function readLine(keys: AsyncGenerator<string, undefined>, echo: Writable | undefined): Promise<string> {
  let typed: string[] = []
  for (;;) {
    const { value: key } = await keys.next()
    if (key === '\r' || key === '\n') return typed.join('')
    if (key === CTRL_C) throw new ExitError(EXIT_INTERRUPTED)
    if (key === undefined || key === CTRL_D)
      throw new AppError('invalid', 'wrong_usage', 'The input ended before the answer.')
    if (BACKSPACES.includes(key)) {
      if (typed.pop() !== undefined) echo?.write(ERASE)
    } else if (key === CTRL_U) {
      echo?.write(ERASE.repeat(typed.length))
      typed = []
    } else if (key >= ' ' && typed.length <= MAX_CHARACTERS) {
      typed.push(key)
      echo?.write(key)
    }
  }
}
