import { string } from '@oclif/core/args'
import { boolean, option, string as text } from '@oclif/core/flags'
import { DaybookCommand } from '../../cli/base/daybook-command.js'
import { readHistoryTarget } from '../../cli/input/history-target.js'
import { readTime } from '../../cli/input/time-expression.js'
import { Progress } from '../../cli/terminal/progress.js'
import { findPlatformSource, PLATFORM_WORDS } from '../../model/platforms/platform-source.js'
import { readTimestamp } from '../../model/timestamp.js'
import { readHistorySettings } from '../../settings/history-settings.js'

export default class CaptureHistory extends DaybookCommand {
  static override summary = 'Records what happened on a platform before its webhook was set up.'
  static override description = [
    'Reads issues, pull or merge requests, comments, reviews, releases and stars of a repository, topics and posts of a',
    'forum, or messages of a chat stream. An event that a webhook',
    'has delivered is known and not recorded again. If the command is interrupted, the same command continues. It waits as',
    'the platform asks, up to an hour. The token comes from EVENT_HISTORY_TOKEN_CODE_A, _CODE_B or _FORUM, or from the file',
    'that EVENT_HISTORY_TOKEN_…_FILE names.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> repo:ada/engine --since 2024-01-01',
    '<%= config.bin %> <%= command.id %> https://github.com/ada/engine/pull/34 --since 30d',
    '<%= config.bin %> <%= command.id %> repo:ada/engine --platform forgejo --url https://git.example.org --since 2024-01-01',
  ]
  static override args = {
    target: string({
      required: true,
      ignoreStdin: true,
      description: 'A place, as in a subscription, or the address of a page on github.com or gitlab.com.',
    }),
  }
  static override flags = {
    since: text({
      required: true,
      description: 'The first instant: 2024-01-01, 2024-01-01T09:00:00Z, or how long ago: 30d.',
      helpValue: '<time>',
    }),
    platform: option({ options: PLATFORM_WORDS, description: 'If the target fits several platforms.' })(),
    url: text({
      description: 'Address of the platform; else EVENT_HISTORY_URL_…',
      helpValue: '<url>',
    }),
    restart: boolean({ description: 'Begin from the start, even if an earlier run was interrupted.' }),
    db: text({
      description: 'Database file; else EVENT_DB, else event/events.db in the home folder.',
      helpValue: '<file>',
    }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(CaptureHistory)
    const since = readTimestamp('--since', readTime('--since', flags.since, { isLocal: false })).text
    const target = readHistoryTarget(
      args.target,
      flags.platform === undefined ? undefined : findPlatformSource(flags.platform),
    )
    const given = { db: flags.db, url: flags.url, named: target.baseUrl }
    const { account, ...local } = readHistorySettings(target.source, given, this.sources)
    const { captureHistory } = await import('../../runtime/history/capture-history.js')
    const { historyProgressText, historyText } = await import('../../cli/views/history.js')
    const progress = new Progress(process.stderr)
    const report = await captureHistory(local, {
      target,
      since,
      account,
      restart: flags.restart ?? false,
      onProgress: step => progress.show(historyProgressText(step)),
    }).finally(() => progress.end())
    if (flags.json || !this.output.isTerminal) return this.printJson(report)
    await this.output.print(historyText(report, await this.style(flags)))
  }
}
