import type { Answer } from '../../client/answer.js'
import { LedgerClient } from '../../client/ledger-client.js'
import { readClientSettings } from '../../settings/client-settings.js'
import type { SettingSources } from '../../settings/reading/setting-sources.js'
import { loadTerminalStyle, type Output } from '../terminal/output.js'
import type { TerminalStyle } from '../terminal/style.js'

/** Formats a response for people. */
export type Rendering = (body: unknown, style: TerminalStyle) => string

/** Prints a server's response: formatted for a person, unchanged for a pipe or with `--json`. */
export class ApiCommandContext {
  constructor(
    private readonly output: Output,
    protected readonly sources: SettingSources,
  ) {}

  /** Whether the output is for a person. */
  isForPeople(flags: { json: boolean }): boolean {
    return this.output.isTerminal && !flags.json
  }

  /** @param load imports the rendering, which a pipe does not need */
  async show(answer: Answer, flags: { json: boolean }, load: () => Promise<Rendering>): Promise<void> {
    if (this.isForPeople(flags)) {
      const render = await load()
      await this.output.print(render(answer.json(), await loadTerminalStyle(this.output, this.sources)))
    } else if (this.output.isTerminal) {
      const { toTerminalJson } = await import('../terminal/text.js')
      await this.output.print(toTerminalJson(answer.text()))
    } else {
      await this.output.print(answer.bytes)
    }
  }
}

/** The flags of every command that calls a ledger. */
export interface LedgerFlags {
  json: boolean
  'api-url'?: string | undefined
  token?: string | undefined
}

/** Calls a running ledger on behalf of a command. */
export class LedgerApiContext extends ApiCommandContext {
  client(flags: LedgerFlags): LedgerClient {
    if (flags.token !== undefined) warnOfVisibleSecret('--token', 'EVENT_API_TOKEN')
    const { apiUrl, credential } = readClientSettings({ apiUrl: flags['api-url'], token: flags.token }, this.sources)
    return new LedgerClient({ apiUrl }, credential ? { credential } : {})
  }
}

/** Where to print messages that are not part of the result. */
export interface Screen {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * Warns a user who passed a secret as a flag that others can read it. Only at a terminal: in a script nothing would
 * read the line, and a program that collects the output would not expect it.
 *
 * @param flag the flag used, such as `--token`; @param instead the setting that keeps the secret private
 */
export function warnOfVisibleSecret(flag: string, instead: string, screen: Screen = process.stderr): void {
  if (!screen.isTTY) return
  screen.write(`Warning: ${flag} shows in the process list, to every user of this machine. Set ${instead} instead.\n`)
}
