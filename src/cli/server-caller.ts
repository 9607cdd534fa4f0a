import type { Answer } from '../client/answer.js'
import type { SettingSources } from '../settings/setting-sources.js'
import type { Look } from './look.js'
import type { Output } from './output.js'
import { terminalLook } from './terminal-look.js'

/** How an answer is put for people. */
export type Rendering = (body: unknown, look: Look) => string

/** Prints what a server answered: a person gets it readably, a pipe or `--json` as it came. */
export class ServerCaller {
  constructor(
    private readonly output: Output,
    protected readonly sources: SettingSources,
  ) {}

  /** A person is to read it. */
  isForPeople(flags: { json: boolean }): boolean {
    return this.output.isTerminal && !flags.json
  }

  /** @param load imports the rendering, which a pipe has no use for */
  async show(answer: Answer, flags: { json: boolean }, load: () => Promise<Rendering>): Promise<void> {
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
