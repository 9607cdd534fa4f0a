import { AppError } from '../model/app-error.js'

/** What the ledger answered: its JSON as it was sent, and what it says. */
export class Answer {
  constructor(
    readonly status: number,
    /** JSON as UTF-8; empty where there is nothing to say (204). */
    readonly bytes: Buffer,
  ) {}

  text(): string {
    return this.bytes.toString('utf8')
  }

  /** @throws AppError `unavailable/not_a_ledger` when it is no JSON after all */
  json(): unknown {
    try {
      return JSON.parse(this.text())
    } catch (cause) {
      throw new AppError('unavailable', 'not_a_ledger', 'The answer is not JSON. Check the address.', { cause })
    }
  }
}
