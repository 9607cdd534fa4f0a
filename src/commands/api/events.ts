import { boolean, string } from '@oclif/core/flags'
import type { LedgerFlags } from '../../cli/base/api-context.js'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { FILTER_FLAGS, filtersOf, timesOf } from '../../cli/filter-flags.js'
import { EVENT_SHAPE } from '../../cli/formats/event-shape.js'
import type { TerminalStyle } from '../../cli/terminal/style.js'
import { toTerminalJson, toTerminalLine } from '../../cli/terminal/text.js'
import { type EventParameters, type ExportParameters, readEventPage } from '../../client/event-pages.js'
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
    '<%= config.bin %> <%= command.id %> --source chat --since yesterday',
    '<%= config.bin %> <%= command.id %> --q \'"release notes" deploy\' -n 20',
    '<%= config.bin %> <%= command.id %> -f --kind "pull_request.*"',
    '<%= config.bin %> <%= command.id %> --outcome failed --exclude-actor renovate',
    '<%= config.bin %> <%= command.id %> --export csv --days 7 > week.csv',
  ]
  static override flags = {
    ...FILTER_FLAGS,
    since: string({
      char: 's',
      description:
        'Checkpoint: only events captured after it, oldest first; or a time such as 1h, yesterday, 2026-11-20.',
      helpValue: '<time>',
    }),
    days: string({ description: 'Captured in the last N days (N × 24 h).', helpValue: '<n>' }),
    from: string({ description: 'Captured at this time or later; written as for --since.', helpValue: '<time>' }),
    to: string({ description: 'Captured at this time or earlier.', helpValue: '<time>' }),
    before: string({ description: 'Captured earlier than this time.', helpValue: '<time>' }),
    limit: string({ char: 'n', description: 'Events per page, 1 to 500.', helpValue: '<n>' }),
    order: string({ description: 'Oldest or newest first.', options: ['asc', 'desc'] }),
    wait: string({
      description: 'With --since: seconds (1 to 55) to wait until something matches.',
      helpValue: '<seconds>',
    }),
    follow: boolean({
      char: 'f',
      description: 'Stream new events as they arrive.',
      // Not `exclusive`: help would show these two as excluding each other.
      relationships: [{ type: 'none', flags: ['order', 'wait', 'fields'] }],
    }),
    export: string({
      options: ['jsonl', 'csv'],
      description: 'Print all matching events: as stored, one a line, or as a table.',
      helpValue: '<format>',
      relationships: [{ type: 'none', flags: ['follow', 'limit', 'order', 'wait', 'output', 'fields'] }],
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(ApiEvents)
    const { since, days, limit, order, wait } = flags
    const parameters: EventParameters = {
      ...filtersOf(flags),
      days,
      limit,
      order,
      wait,
      ...timesOf(flags, ['since', 'from', 'to', 'before']),
    }
    if (flags.follow) return this.follow(parameters, flags)
    const { limit: _, order: __, wait: ___, ...matching } = parameters
    if (flags.export) return this.export({ ...matching, format: flags.export }, flags)
    const answer = await this.client(flags).events(parameters)
    readEventPage(answer)
    const isNewestFirst = order === undefined ? since === undefined : order === 'desc'
    const load = async () => {
      const { eventTable } = await import('../../cli/views/events.js')
      return (page: unknown, style: TerminalStyle) => eventTable(page, style, { isNewestFirst })
    }
    await this.show(answer, flags, load, EVENT_SHAPE)
  }

  private async follow({ order: _, wait: __, ...parameters }: EventParameters, flags: LedgerFlags): Promise<void> {
    const toLine = await this.loadLine(flags)
    const client = this.client(flags)
    let isAgain = false
    const pages = followEvents(client, parameters, {
      signal: this.output.closed,
      onConnected: checkpoint => {
        const words = isAgain ? 'Connected again' : `Connected to ${client.name}`
        isAgain = true
        process.stderr.write(`${words}: following events after ${checkpoint}. Ctrl+C ends this.\n`)
      },
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
      for (const event of page.items) await this.output.print(await toLine(event))
    }
  }

  private async export(parameters: ExportParameters, flags: LedgerFlags): Promise<void> {
    // A terminal would interpret control characters of foreign texts.
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

  /** Converts an event to a line of the feed. @throws AppError `invalid/wrong_usage` for a format without lines */
  private async loadLine(flags: LedgerFlags): Promise<(event: unknown) => Promise<string>> {
    const format = this.results.formatOf(flags)
    if (format === 'table') {
      const { eventLine } = await import('../../cli/views/events.js')
      const style = await this.style(flags)
      return async event => eventLine(await this.results.inShownTime(event, flags), style)
    }
    if (format === 'yaml' || format === 'csv') {
      const hint = 'Use table, jsonl or name.'
      throw new AppError(
        'invalid',
        'wrong_usage',
        `--follow streams without end, but ${format} needs a complete result.`,
        {
          hint,
        },
      )
    }
    const toSafe = this.output.isTerminal ? toTerminalJson : (line: string) => line
    if (format !== 'name') return async event => toSafe(JSON.stringify(event))
    const { formatted } = await import('../../cli/formats/format.js')
    return async event => toSafe(await formatted(event, { format, shape: EVENT_SHAPE }))
  }
}
