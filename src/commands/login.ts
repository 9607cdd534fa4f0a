import { hostname } from 'node:os'
import { string } from '@oclif/core/flags'
import { DaybookCommand } from '../cli/base/daybook-command.js'
import { askSecrets } from '../cli/input/ask-secrets.js'
import { saveProfiles } from '../cli/input/save-profiles.js'
import { revokeIssuedToken } from '../cli/revoke-issued-token.js'
import { toTerminalLine } from '../cli/terminal/text.js'
import { LedgerClient } from '../client/ledger-client.js'
import { SessionClient } from '../client/session-client.js'
import { AppError } from '../model/app-error.js'
import { API_URL_ALLOWED, acceptApiUrl } from '../settings/api-address.js'
import { DEFAULT_API_URL } from '../settings/client-settings.js'
import { type LoginSettings, type Profile, readLoginSettings } from '../settings/profiles.js'

export default class Login extends DaybookCommand {
  static override summary = 'Logs in to a ledger, and keeps its address and an API token for later commands.'
  static override description = [
    'Asks for the address, and for an API token or for user name and password. A password is not kept: the ledger issues a',
    'token, which `daybook logout` revokes. The profile is kept in profiles.json in the home folder, readable by this user alone, and',
    'becomes the default one. EVENT_API_URL and EVENT_API_TOKEN take precedence over it.',
  ].join(' ')
  static override examples = [
    '<%= config.bin %> <%= command.id %>',
    '<%= config.bin %> <%= command.id %> --profile work --api-url https://events.example.org',
    '<%= config.bin %> <%= command.id %> --api-url https://events.example.org --token-file token',
  ]
  static override flags = {
    profile: string({
      description: 'Name of the profile; else DAYBOOK_PROFILE, else the default one.',
      helpValue: '<name>',
    }),
    'api-url': string({
      description: 'Address of the ledger; else EVENT_API_URL, else asked for.',
      helpValue: '<url>',
    }),
    'token-file': string({ description: 'File with an API token. Then nothing is asked.', helpValue: '<file>' }),
  }

  async run(): Promise<void> {
    const { flags } = await this.parse(Login)
    const given = { profile: flags.profile, apiUrl: flags['api-url'], tokenFile: flags['token-file'] }
    const settings = readLoginSettings(given, this.sources)
    const { file, name } = settings
    const profile = settings.token === undefined ? await this.ask(settings) : await check(settings, settings.token)
    saveProfiles({ ...file, default: name, profiles: { ...file.profiles, [name]: profile } })
    // Otherwise the previous token would stay valid, and no profile would contain it.
    if (settings.profile) await revokeIssuedToken(settings.profile)
    const { api_url, username = 'an admin' } = profile
    if (flags.json || !this.output.isTerminal) return this.printJson({ profile: name, api_url, username })
    await this.output.print(`Logged in to ${api_url} as ${toTerminalLine(username)}, profile ${name}.`)
  }

  private async ask(settings: LoginSettings): Promise<Profile> {
    if (!process.stdin.isTTY || !process.stderr.isTTY) {
      const hint = 'Give a token with --token-file <file>.'
      throw new AppError('invalid', 'wrong_usage', 'There is no terminal to ask at.', { hint })
    }
    const terminal = { keyboard: process.stdin, screen: process.stderr }
    const suggested = addressOf(settings)
    const asked = { text: `Address of the ledger [${suggested}]: `, isShown: true } as const
    const [typed = ''] = settings.apiUrl === undefined ? await askSecrets(terminal, [asked]) : []
    const apiUrl = typed.trim() === '' ? suggested : acceptApiUrl(typed.trim())
    if (apiUrl === undefined) throw new AppError('invalid', 'wrong_usage', `The address ${API_URL_ALLOWED}.`)
    const [token = ''] = await askSecrets(terminal, ['API token (empty: with user name and password): '])
    if (token.trim() !== '') return check({ ...settings, apiUrl }, token.trim())
    const [username = '', password = ''] = await askSecrets(terminal, [
      { text: 'User name: ', isShown: true },
      'Password: ',
    ])
    const issued = await new SessionClient({ apiUrl }).issueToken(
      { username: username.trim(), password },
      `daybook login on ${hostname()}`.slice(0, 64),
    )
    return { api_url: apiUrl, token: issued.token, token_id: issued.id, username: username.trim() }
  }
}

function addressOf({ apiUrl, profile }: LoginSettings): string {
  return apiUrl ?? profile?.api_url ?? DEFAULT_API_URL
}

/** A profile with the token, if the ledger accepts it. @throws AppError `unauthenticated/unauthenticated` */
async function check(settings: LoginSettings, token: string): Promise<Profile> {
  const apiUrl = addressOf(settings)
  const session = (
    await new LedgerClient({ apiUrl }, { credential: { kind: 'token', secret: token } }).session()
  ).json()
  const { authenticated, user } = Object(session)
  // A writer token proves its user, but cannot log in.
  if (authenticated !== true) {
    const hint = 'Check the token and the address.'
    throw new AppError('unauthenticated', 'unauthenticated', `${apiUrl} does not accept the token.`, { hint })
  }
  const username: unknown = user?.username
  return { api_url: apiUrl, token, ...(typeof username === 'string' ? { username } : {}) }
}
