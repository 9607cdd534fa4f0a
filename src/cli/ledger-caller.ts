import type { Answer } from '../client/answer.js'
import { LedgerClient } from '../client/ledger-client.js'
import { readClientSettings } from '../settings/client-settings.js'
import type { SettingSources } from '../settings/setting-sources.js'
import type { Look } from './look.js'
import type { Output } from './output.js'
import { terminalLook } from './terminal-look.js'

/** The flags of every command that speaks to a server. */
export interface LedgerFlags {
  json: boolean
  'api-url'?: string | undefined
  token?: string | undefined
}

/** How an answer is put for people. */
export type Rendering = (body: unknown, look: Look) => string

/** Asks a running ledger on behalf of a command: a person gets the answer readably, a pipe or `--json` as it came. */
export class LedgerCaller {
  constructor(
    private readonly output: Output,
    private readonly sources: SettingSources,
  ) {}

  client(flags: LedgerFlags): LedgerClient {
    const { apiUrl, credential } = readClientSettings({ apiUrl: flags['api-url'], token: flags.token }, this.sources)
    return new LedgerClient({ apiUrl }, credential ? { credential } : {})
  }

  /** A person is to read it. */
  isForPeople(flags: LedgerFlags): boolean {
    return this.output.isTerminal && !flags.json
  }

  /** @param load imports the rendering, which a pipe has no use for */
  async show(answer: Answer, flags: LedgerFlags, load: () => Promise<Rendering>): Promise<void> {
    if (this.isForPeople(flags)) {
      const render = await load()
      await this.output.print(render(answer.json(), await terminalLook(this.output, this.sources)))
    } else if (this.output.isTerminal) {
      const { toTerminalJson } = await import('./terminal-text.js')
      await this.output.print(toTerminalJson(answer.text()))
    } else {
      await this.output.print(answer.bytes)
    }
  }
}
