import { Answer } from '../../client/answer.js'
import { LedgerClient } from '../../client/ledger-client.js'
import { readClientSettings } from '../../settings/client-settings.js'
import type { SettingSources } from '../../settings/reading/setting-sources.js'
import { BY_ID, type Format, type ItemShape, type OutputFlags, readFields } from '../formats/output-options.js'
import { loadTerminalStyle, type Output } from '../terminal/output.js'
import type { TerminalStyle } from '../terminal/style.js'

/** Formats a result for people. */
export type Rendering<Body = unknown> = (body: Body, style: TerminalStyle) => string

/** Prints results: rendered at a terminal, unchanged in a pipe, or in the format that a flag names. */
export class Results {
  constructor(
    protected readonly output: Output,
    protected readonly sources: SettingSources,
  ) {}

  /** Whether the output is for a person. */
  isForPeople(flags: OutputFlags): boolean {
    return this.formatOf(flags) === 'table'
  }

  formatOf({ json, output }: OutputFlags): Format {
    return output ?? (this.output.isTerminal && !json ? 'table' : 'json')
  }

  /**
   * @param load imports the rendering, which a pipe does not need
   * @param shape for names and CSV
   */
  async show(
    answer: Answer,
    flags: OutputFlags,
    load: () => Promise<Rendering>,
    shape: ItemShape = BY_ID,
  ): Promise<void> {
    const format = this.formatOf(flags)
    if (format === 'json' && flags.fields === undefined) return this.#printJson(answer)
    const { formatted, fieldTable } = await import('../formats/format.js')
    const fields = flags.fields === undefined ? undefined : readFields(flags.fields)
    if (format === 'table') {
      const render: Rendering = fields ? (body, style) => fieldTable(body, { fields, shape }, style) : await load()
      const body = await this.inShownTime(answer.json(), flags)
      await this.output.print(render(body, await this.style(flags)))
    } else {
      const text = await formatted(answer.json(), { format, fields, shape })
      await this.output.print(this.output.isTerminal ? await toSafe(text, format) : text)
    }
  }

  /** The same for a result that no server sent. */
  showValue<Value>(
    value: Value,
    flags: OutputFlags,
    load: () => Promise<Rendering<Value>>,
    shape?: ItemShape,
  ): Promise<void> {
    const answer = new Answer(200, Buffer.from(JSON.stringify(value)))
    // The rendering receives the same value, perhaps with other times.
    return this.show(answer, flags, load as () => Promise<Rendering>, shape)
  }

  /** Converts to local times, if the user asked for them. */
  async inShownTime(body: unknown, { local }: OutputFlags): Promise<unknown> {
    return local ? (await import('../formats/local-time.js')).inLocalTime(body) : body
  }

  style(flags: OutputFlags): Promise<TerminalStyle> {
    return loadTerminalStyle(this.output, this.sources, flags)
  }

  async #printJson(answer: Answer): Promise<void> {
    // Otherwise an answer that is cut off would look like a success.
    answer.json()
    if (!this.output.isTerminal) return this.output.print(answer.bytes)
    await this.output.print(await toSafe(answer.text(), 'json'))
  }
}

/** Removes control sequences of foreign texts. In JSON, the value stays the same. */
async function toSafe(text: string, format: Format): Promise<string> {
  const { toTerminalJson, toTerminalText } = await import('../terminal/text.js')
  return format === 'json' || format === 'jsonl' ? toTerminalJson(text) : toTerminalText(text)
}

/** The flags of every command that calls a ledger. */
export interface LedgerFlags extends OutputFlags {
  'api-url'?: string | undefined
  token?: string | undefined
  'token-file'?: string | undefined
  profile?: string | undefined
}

/** Calls a running ledger on behalf of a command. */
export class LedgerResults extends Results {
  client(flags: LedgerFlags): LedgerClient {
    if (flags.token !== undefined) warnOfVisibleSecret('--token', 'EVENT_API_TOKEN, or use --token-file')
    const { apiUrl, credential } = readClientSettings(toClientFlags(flags), this.sources)
    return new LedgerClient({ apiUrl }, credential ? { credential } : {})
  }
}

/** The flags that select a ledger, as the settings read them. */
export function toClientFlags(flags: LedgerFlags) {
  const { token, profile } = flags
  return { apiUrl: flags['api-url'], token, tokenFile: flags['token-file'], profile }
}

/** Where to print messages that are not part of the result. */
interface Screen {
  isTTY?: boolean
  write(text: string): unknown
}

/**
 * Warns a user who passed a secret as a flag that others can read it. Only at a terminal: a script has no reader for
 * the line, and a program that collects the output would not expect it.
 *
 * @param flag the flag used, such as `--token`; @param instead the setting that keeps the secret private
 */
export function warnOfVisibleSecret(flag: string, instead: string, screen: Screen = process.stderr): void {
  if (!screen.isTTY) return
  screen.write(`Warning: ${flag} shows in the process list, to every user of this machine. Set ${instead} instead.\n`)
}
