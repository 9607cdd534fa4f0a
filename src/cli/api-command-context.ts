import type { Answer } from '../client/answer.js'
import type { SettingSources } from '../settings/setting-sources.js'
import { loadTerminalStyle } from './load-terminal-style.js'
import type { Output } from './output.js'
import type { TerminalStyle } from './terminal-style.js'

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
      const { toTerminalJson } = await import('./terminal-text.js')
      await this.output.print(toTerminalJson(answer.text()))
    } else {
      await this.output.print(answer.bytes)
    }
  }
}
