import { string as argument } from '@oclif/core/args'
import { string } from '@oclif/core/flags'
import { BY_SOURCE, SourcesCommand } from '../../cli/base/sources-command.js'
import { readSmallText } from '../../cli/input/read-input.js'
import { AppError } from '../../model/app-error.js'
import { SOURCE_LIMITS } from '../../model/sources/source-definition.js'

export default class SourcesAdd extends SourcesCommand {
  static override summary = 'Defines a source of webhooks or a feed, or replaces its definition or its secrets.'
  static override description = [
    'The definition states how deliveries prove themselves and what they become. Without one, the source keeps the definition',
    'that it has. The file with the secrets has one on each line; all of them are accepted. Secrets are never shown.',
    'Creates the ledger if there is none.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %> alerts --preset alertmanager --secret-file alerts.secret',
    '<%= config.bin %> <%= command.id %> builds --definition builds.json --secret-file -',
    '<%= config.bin %> <%= command.id %> news --feed https://example.org/news.atom',
    '<%= config.bin %> <%= command.id %> ours --feed https://example.org/ours.atom --user ada --secret-file ours.secret',
  ]
  static override args = {
    name: argument({
      required: true,
      ignoreStdin: true,
      description: 'Name of the source: lower-case letters, digits, _ and -.',
    }),
  }
  static override flags = {
    definition: string({
      description: 'File with the definition as JSON; - for standard input.',
      helpValue: '<file>',
      exclusive: ['preset'],
    }),
    preset: string({
      description: 'Definition for a known service: alertmanager, slack, stripe …',
      helpValue: '<name>',
    }),
    feed: string({
      description: 'Address of an RSS or Atom feed, which the server reads regularly.',
      helpValue: '<url>',
      exclusive: ['preset', 'definition'],
    }),
    user: string({
      description:
        'User with whom the feed is read; the secret is the password. Without it, the secret is a bearer token.',
      helpValue: '<name>',
      dependsOn: ['feed'],
    }),
    'secret-file': string({ description: 'File with the secrets; - for standard input.', helpValue: '<file>' }),
  }

  async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesAdd)
    const { name } = args
    const sent = await this.readDefinition(name, flags)
    const secrets = flags['secret-file'] === undefined ? undefined : await readSecrets(flags['secret-file'])
    if (sent === undefined && secrets === undefined) {
      throw new AppError('invalid', 'wrong_usage', 'Name a definition, a preset, a feed or a file with secrets.')
    }
    const { manageSources } = await import('../../runtime/sources/manage-sources.js')
    const { source } = await manageSources(
      this.settings(flags),
      async sources => {
        const definition = sent ?? (await sources.get(name)).definition
        return sources.save(name, { definition, ...(secrets === undefined ? {} : { secrets }) })
      },
      { mayBeNew: true },
    )
    await this.show(source, flags, async () => (await import('../../cli/views/sources.js')).sourceCard, BY_SOURCE)
  }
}

async function readSecrets(file: string): Promise<string[]> {
  const text = await readSmallText(file, SOURCE_LIMITS.secrets * (SOURCE_LIMITS.secretCharacters + 2))
  const secrets = text
    .split('\n')
    .map(line => line.trim())
    .filter(line => line !== '')
  if (secrets.length > 0) return secrets
  throw new AppError('invalid', 'wrong_usage', 'The file with the secrets is empty.')
}
