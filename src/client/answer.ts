import { AppError } from '../model/app-error.js'
import { LEDGER, type ServerNames } from './server-names.js'

/** What a server answered: its JSON as it was sent, and what it says. */
export class Answer {
  constructor(
    readonly status: number,
    /** JSON as UTF-8; empty where there is nothing to say (204). */
    readonly bytes: Buffer,
    private readonly names: ServerNames = LEDGER,
  ) {}

  text(): string {
    return this.bytes.toString('utf8')
  }

  /** @throws AppError `unavailable/not_a_…` when it is no JSON after all */
  json(): unknown {
    try {
      return JSON.parse(this.text())
    } catch (cause) {
      throw new AppError('unavailable', this.names.notOne, 'The answer is not JSON. Check the address.', { cause })
    }
  }
}
