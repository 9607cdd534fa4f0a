import { string } from '@oclif/core/args'
import type { LedgerFlags } from '../../cli/base/api-context.js'
import { LedgerCommand } from '../../cli/base/ledger-command.js'
import { readInput } from '../../cli/input/read-input.js'
import { Progress } from '../../cli/terminal/progress.js'
import { readEventInput } from '../../client/event-input.js'
import { recordLines } from '../../client/record-lines.js'

export default class ApiRecordJson extends LedgerCommand {
  static override summary = 'Records one event, an array of events, or one event per line.'
  static override description = [
    'The file contains one event as a JSON object, an array of up to 5,000, or any number of events, one per line (NDJSON).',
    'Lines are sent in batches, each recorded as a whole or not at all. Recording an event again only counts',
    'a repeat, so an interrupted recording can simply be run again.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> event.json',
    'echo \'{"kind":"note.created","subject_type":"note","subject_id":"1"}\' | <%= config.bin %> <%= command.id %> -',
  ]
  static override args = {
    file: string({ required: true, ignoreStdin: true, description: 'JSON or NDJSON; - for standard input.' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(ApiRecordJson)
    const client = this.client(flags)
    const input = await readEventInput(readInput(args.file))
    if (input.kind === 'document') {
      const answer = await client.record(input.json, 'application/json')
      await this.show(answer, flags, async () => (await import('../../cli/views/events.js')).recordedText)
      return
    }
    let created = 0
    let duplicates = 0
    const progress = new Progress(process.stderr)
    try {
      for await (const batch of recordLines(client, input.chunks)) {
        created += batch.created
        duplicates += batch.duplicates
        if (!this.isForPeople(flags)) await this.output.print(batch.answer.bytes)
        progress.show(`${(created + duplicates).toLocaleString('en')} events recorded …`)
      }
    } finally {
      progress.end()
    }
    if (this.isForPeople(flags)) await this.summarise(created, duplicates, flags)
  }

  private async summarise(created: number, duplicates: number, flags: LedgerFlags): Promise<void> {
    const { recordedCount } = await import('../../cli/views/events.js')
    await this.output.print(recordedCount(created, duplicates, await this.style(flags)))
  }
}
