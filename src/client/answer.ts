import { AppError } from '../model/app-error.js'
import { LEDGER, type ServerNames } from './server-names.js'

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
      throw new AppError('unavailable', this.names.mismatchCode, 'The answer is not JSON. Check the address.', {
        cause,
      })
    }
  }
}
