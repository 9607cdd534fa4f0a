import { string } from '@oclif/core/args'
import { boolean, string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { Progress } from '../../cli/terminal/progress.js'
import { toTerminalLine } from '../../cli/terminal/text.js'
import { AppError } from '../../model/app-error.js'
import { ERASURE_LIMITS } from '../../model/events/erasure.js'
import { readLocalSettings } from '../../settings/local-settings.js'

export default class LedgerErase extends DaybookCommand {
  static override summary = 'Erases the content of an event, or of all events of an actor, forever.'
  static override description = [
    'The key, kind, order, times, counts and digest of an event stay: the ledger can still prove that nothing else was',
    'changed, and a delivery of the event is still a repeat. An event of the kind ledger.erased records who erased it and',
    'why. A running server does it while it keeps recording. Backups from before still have the content.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> chat:chat.example.org:message:8812:created --reason "posted by mistake"',
    '<%= config.bin %> <%= command.id %> --actor 17 --reason "request 2031-17" --yes',
  ]
  static override args = {
    dedupe_key: string({ ignoreStdin: true, description: 'Dedupe key, as printed by `api events`.' }),
  }
  static override flags = {
    actor: text({
      description: 'All events whose actor has this id. Events of others that mention the actor stay.',
      helpValue: '<id>',
    }),
    reason: text({
      required: true,
      description: 'Why, for everyone who may read events. It can never be erased: write no names.',
      helpValue: '<text>',
    }),
    yes: boolean({ description: 'Erase without asking.' }),
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LedgerErase)
    const { actor, reason } = flags
    const key = args.dedupe_key
    if ((key === undefined) === (actor === undefined)) {
      throw new AppError('invalid', 'wrong_usage', 'Name either a dedupe key or --actor.')
    }
    if (reason.trim() === '' || reason.length > ERASURE_LIMITS.reasonCharacters) {
      const detail = `--reason has 1 to ${ERASURE_LIMITS.reasonCharacters} characters.`
      throw new AppError('invalid', 'wrong_usage', detail)
    }
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    if (!flags.yes) {
      const what = toTerminalLine(key === undefined ? `all events of the actor ${actor}` : `the event ${key}`)
      const { confirmTwice } = await import('../../cli/input/confirm-twice.js')
      await confirmTwice([
        { text: `Erase the content of ${what} in ${toTerminalLine(settings.database.path)}? [yes/no] `, answer: 'yes' },
        {
          text: `It cannot be undone. Type the ${key === undefined ? 'id' : 'key'} again: `,
          answer: (key ?? actor) as string,
        },
      ])
    }
    const { eraseInLedger } = await import('../../runtime/erase-events.js')
    const progress = new Progress(process.stderr)
    const request = { ...(key === undefined ? { actor: actor as string } : { dedupe_key: key }), reason }
    const summary = await eraseInLedger(settings, request, erased =>
      progress.show(`Erased ${erased.toLocaleString('en')} events …`),
    ).finally(() => progress.end())
    if (flags.json || !this.output.isTerminal) return this.printJson(summary)
    const { erasedText } = await import('../../cli/views/ledger.js')
    await this.output.print(erasedText(summary))
  }
}
