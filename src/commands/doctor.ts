import { string } from '@oclif/core/flags'
import { ResultCommand } from '../cli/base/daybook-command.js'
import { exitCodeOfFaults } from '../cli/exit-codes.js'
import { readDoctorSettings } from '../settings/doctor-settings.js'

export default class Doctor extends ResultCommand {
  static override summary = 'Checks settings, files, disk, clock, ledger, webhooks and servers, and shows what to do.'
  static override description = [
    'Works with and without a running server, and with invalid settings. Changes nothing, and shows no secret. Run it as the',
    'user of the server and with its settings. The exit code is 0 if nothing fails, also with warnings; otherwise it is that',
    'of the worst failure.',
  ].join(' ')
  static override examples = ['<%= config.bin %> <%= command.id %>', '<%= config.bin %> <%= command.id %> --json']
  static override flags = {
    db: string({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Doctor)
    const settings = readDoctorSettings({ db: flags.db }, this.sources)
    const { diagnose } = await import('../runtime/doctor/diagnose.js')
    const diagnosis = await diagnose(settings)
    const load = async () => (await import('../cli/views/doctor.js')).diagnosisText
    await this.showValue(diagnosis, flags, load, { name: 'check', list: 'checks' })
    process.exitCode = exitCodeOfFaults(diagnosis.checks.map(({ fault }) => fault))
  }
}
