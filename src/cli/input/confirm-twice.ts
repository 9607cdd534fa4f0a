import { createInterface } from 'node:readline'
import { AppError } from '../../model/app-error.js'

/** A question, and the answer that must be typed. */
interface Question {
  text: string
  answer: string
}

/**
 * Asks the questions at the terminal, in order.
 *
 * @throws AppError `invalid/wrong_usage` without a terminal; `invalid/not_confirmed` for another answer
 */
export async function confirmTwice(questions: readonly [Question, Question]): Promise<void> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new AppError('invalid', 'wrong_usage', 'There is no terminal to ask at.', { hint: 'Add --yes.' })
  }
  const asked = createInterface({ input: process.stdin, output: process.stderr })
  // Created before the first question, so that lines pasted together are not lost.
  const lines = asked[Symbol.asyncIterator]()
  try {
    for (const { text, answer } of questions) {
      asked.setPrompt(text)
      // Not `prompt`, which throws if the input has ended while lines are still unread.
      process.stderr.write(text)
      const { value: typed } = await lines.next()
      if (typed?.trim() !== answer) throw new AppError('invalid', 'not_confirmed', 'Nothing was erased.')
    }
  } finally {
    asked.close()
  }
}
