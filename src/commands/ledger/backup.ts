import { statSync } from 'node:fs'
import { string } from '@oclif/core/args'
import { string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { toCompleteOutput } from '../../cli/complete-output.js'
import { Progress } from '../../cli/terminal/progress.js'
import { abortedBySignal } from '../../cli/wait-for-signal.js'
import { AppError } from '../../model/app-error.js'
import type { BackupProgress } from '../../runtime/backup/ledger-backup.js'
import { readLocalSettings } from '../../settings/local-settings.js'

const PROGRESS_MS = 250

export default class LedgerBackup extends DaybookCommand {
  static override summary = 'Makes a checked copy of the ledger, also while it is served.'
  static override description = [
    'A running server makes the copy while it keeps serving; without a server, this command opens the file itself. The',
    'copy holds everything that was stored when it began, and has its name only after its pages and counters were',
    'checked. The command never overwrites a file; interrupted, it leaves none.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> /var/backups/ledger.db',
    '<%= config.bin %> <%= command.id %> /var/backups/ledger.db.gz --json',
    '<%= config.bin %> <%= command.id %> - | ssh backup.example "cat > ledger.db"',
  ]
  static override args = {
    file: string({
      required: true,
      ignoreStdin: true,
      description: 'Path of the copy, which must not exist yet; with .gz at its end, compressed. -: standard output.',
    }),
  }
  static override flags = {
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(LedgerBackup)
    const settings = readLocalSettings({ db: flags.db }, this.sources)
    const isStream = args.file === '-'
    if (isStream && (this.output.isTerminal || flags.json)) {
      const detail = flags.json
        ? 'Standard output cannot have both the copy and JSON.'
        : 'A terminal cannot show a copy.'
      throw new AppError('invalid', 'wrong_usage', detail, { hint: 'Name a file, or send the output to a program.' })
    }
    const { backUpLedger, backUpLedgerTo } = await import('../../runtime/backup/ledger-backup.js')
    const progress = new Progress(process.stderr)
    let now: BackupProgress | undefined
    const timer = setInterval(() => {
      if (!now) return
      const size = statSync(now.file, { throwIfNoEntry: false })?.size ?? 0
      progress.show(progressText(now.name, size, now.ledgerBytes))
    }, PROGRESS_MS)
    const onProgress = (step: BackupProgress) => {
      now = step
    }
    try {
      if (isStream) {
        await abortedBySignal(process, signal =>
          toCompleteOutput(() => backUpLedgerTo(process.stdout, settings, { onProgress, signal })),
        )
        return
      }
      const backup = await abortedBySignal(process, signal => backUpLedger(settings, args.file, { onProgress, signal }))
      progress.end()
      if (flags.json || !this.output.isTerminal) return await this.printJson(backup)
      const { backupText } = await import('../../cli/views/ledger.js')
      await this.output.print(backupText(backup))
    } finally {
      clearInterval(timer)
      progress.end()
    }
  }
}

const STEPS = { copying: 'Copying', checking: 'Checking the copy', compressing: 'Compressing' }

function progressText(step: keyof typeof STEPS, bytes: number, ledgerBytes: number): string {
  if (step === 'checking') return `${STEPS[step]} …`
  const ofAll = step === 'copying' ? ` of ${toMegabytes(ledgerBytes)}` : ''
  return `${STEPS[step]}: ${toMegabytes(bytes)}${ofAll} MB …`
}

function toMegabytes(bytes: number): string {
  return Math.round(bytes / 1e6).toLocaleString('en')
}
