import { AppError } from '../model/app-error.js'
import { isObject } from '../model/json-object.js'

/** A server's response: its JSON as sent, and parsed. */
export class Answer {
  constructor(
    readonly status: number,
    /** JSON as UTF-8; empty for 204. */
    readonly bytes: Buffer,
    private readonly names: ServerNames = LEDGER,
  ) {}

  text(): string {
    return this.bytes.toString('utf8')
  }

  /** @throws AppError `unavailable/not_a_…` if it is not JSON */
  json(): unknown {
    try {
      return JSON.parse(this.text())
    } catch (cause) {
      throw this.mismatch('JSON', cause)
    }
  }

  /** This answer, if it has the members that the server gives. @throws AppError `unavailable/not_a_…` otherwise */
  expect(noun: string, isSuch: (members: Record<string, unknown>) => boolean): this {
    const value = this.json()
    if (isObject(value) && isSuch(value)) return this
    throw this.mismatch(noun)
  }

  /** The failure of an answer in another form than this server's. @param noun such as "a page of events" */
  mismatch(noun: string, cause?: unknown): AppError {
    const { mismatchCode, givenBy } = this.names
    return new AppError('unavailable', mismatchCode, `The answer is not ${noun}.`, {
      hint: `Check ${givenBy}.`,
      cause,
    })
  }
}

/** How messages name a server, and where a command looks for it. */
export interface ServerNames {
  /** The program, in messages: "ledger". */
  noun: string
  /** `code` of the failure if something else responds there. */
  mismatchCode: 'not_a_ledger' | 'not_a_board'
  /** The flag and the setting that give its address. */
  givenBy: string
}

export const LEDGER: ServerNames = {
  noun: 'ledger',
  mismatchCode: 'not_a_ledger',
  givenBy: '--api-url or EVENT_API_URL',
}

export const BOARD: ServerNames = {
  noun: 'board',
  mismatchCode: 'not_a_board',
  givenBy: '--board-url or BOARD_API_URL',
}
