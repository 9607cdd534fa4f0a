import { boolean, string } from '@oclif/core/flags'
import type { LedgerFlags } from '../../cli/base/api-context.js'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { FILTER_FLAGS, filtersOf } from '../../cli/filter-flags.js'
import { toTerminalJson, toTerminalLine } from '../../cli/terminal/text.js'
import type { EventParameters, ExportParameters } from '../../client/event-pages.js'
import { followEvents } from '../../client/follow-events.js'
import { AppError } from '../../model/app-error.js'

export default class ApiEvents extends LedgerCommand {
  static override summary = 'Lists events by filters and by checkpoint, follows new ones, or exports all.'
  static override description = [
    'Without --since, the newest events come first, and --before continues to older ones. With --since, a checkpoint, the oldest come first: save',
    'next_since of the response once its events are processed, and pass it as --since next time.\n\n--follow streams without',
    'end: every event after the checkpoint, or from now on, or from where --from or --days begin; one line of JSON',
    'each when piped. It waits while the server restarts, and misses nothing. The captured_at of the last processed event',
    'is the checkpoint to continue from.\n\n--export prints every event that matches now, oldest first, to a pipe or a file. A',
    'program that takes its time should use --follow: the server closes the connection of a slow reader.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> --source chat --days 1',
    '<%= config.bin %> <%= command.id %> --q \'"release notes" deploy\' --limit 20',
    '<%= config.bin %> <%= command.id %> --follow --kind "pull_request.*"',
    '<%= config.bin %> <%= command.id %> --outcome failed --exclude-actor renovate',
    '<%= config.bin %> <%= command.id %> --export csv --days 7 > week.csv',
  ]
  static override flags = {
    ...FILTER_FLAGS,
    since: string({ description: 'Checkpoint: only events captured after it.', helpValue: '<time>' }),
    days: string({ description: 'Captured in the last N days (N × 24 h).', helpValue: '<n>' }),
    from: string({ description: 'Captured at this time or later.', helpValue: '<time>' }),
    to: string({ description: 'Captured at this time or earlier.', helpValue: '<time>' }),
    before: string({ description: 'Captured earlier than this time.', helpValue: '<time>' }),
    limit: string({ description: 'Events per page, 1 to 500.', helpValue: '<n>' }),
    order: string({ description: 'Oldest or newest first.', options: ['asc', 'desc'] }),
    wait: string({
      description: 'With --since: seconds (1 to 55) to wait until something matches.',
      helpValue: '<seconds>',
    }),
    follow: boolean({
      description: 'Stream new events as they arrive.',
      // Not `exclusive`: help would show these two as excluding each other.
      relationships: [{ type: 'none', flags: ['order', 'wait'] }],
    }),
    export: string({
      options: ['jsonl', 'csv'],
      description: 'Print all matching events: as stored, one a line, or as a table.',
      helpValue: '<format>',
      relationships: [{ type: 'none', flags: ['follow', 'limit', 'order', 'wait'] }],
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiEvents)
    const { since, days, from, to, before, limit, order, wait } = flags
    const parameters: EventParameters = {
      ...filtersOf(flags),
      ...{ since, days, from, to, before, limit, order, wait },
    }
    if (flags.follow) return this.follow(parameters, flags)
    const { limit: _, order: __, wait: ___, ...matching } = parameters
    if (flags.export) return this.export({ ...matching, format: flags.export }, flags)
    const answer = await this.client(flags).events(parameters)
    const isNewestFirst = order === undefined ? since === undefined : order === 'desc'
    await this.show(answer, flags, async () => {
      const { eventTable } = await import('../../cli/views/events.js')
      return (page, style) => eventTable(page, style, { isNewestFirst })
    })
  }

  private async follow({ order: _, wait: __, ...parameters }: EventParameters, flags: LedgerFlags): Promise<void> {
    const toLine = this.isForPeople(flags)
      ? await this.loadLine()
      : this.output.isTerminal
        ? toSafeJsonLine
        : toJsonLine
    const pages = followEvents(this.client(flags), parameters, {
      signal: this.output.closed,
      onPruned: error => void process.stderr.write(`${toTerminalLine(error.message)}\n`),
      onInterrupted: (error, milliseconds) => {
        const seconds = Math.ceil(milliseconds / 1000)
        process.stderr.write(`${toTerminalLine(error.message)} Trying again in ${seconds} s.\n`)
      },
    })
    let epoch: string | null = null
    for await (const page of pages) {
      if (epoch !== null && page.epoch !== epoch) {
        process.stderr.write('The ledger was restored or replaced. Continuing from the same checkpoint.\n')
      }
      epoch = page.epoch
      for (const event of page.items) await this.output.print(toLine(event))
    }
  }

  private async export(parameters: ExportParameters, flags: LedgerFlags): Promise<void> {
    // A terminal would interpret what strangers wrote.
    if (this.output.isTerminal) {
      const hint = 'Add "> events.jsonl", for example.'
      throw new AppError('invalid', 'wrong_usage', '--export prints to a file or a pipe, not to a terminal.', { hint })
    }
    const { closed } = this.output
    try {
      const answer = this.client(flags).export(parameters, { signal: closed })
      for await (const bytes of answer) await this.output.write(bytes)
    } catch (error) {
      if (!closed.aborted) throw error
    }
  }

  private async loadLine(): Promise<(event: unknown) => string> {
    const { eventLine } = await import('../../cli/views/events.js')
    const style = await this.style()
    return event => eventLine(event, style)
  }
}

function toJsonLine(event: unknown): string {
  return JSON.stringify(event)
}

function toSafeJsonLine(event: unknown): string {
  return toTerminalJson(toJsonLine(event))
}
