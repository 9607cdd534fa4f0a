import type { Configuration } from '../../settings/configuration.js'
import { card } from '../terminal/card.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'

const COLUMNS = [{ title: 'profile' }, { title: 'ledger', flexible: true }, { title: 'user' }, { title: 'default' }]

/** Renders the settings of commands, and the profiles below them. */
export function configurationCard(shown: Configuration, style: TerminalStyle): string {
  const { profiles } = shown
  const settings = card(style, 'Settings of commands', [
    ['ledger', toTerminalLine(`${shown.api_url} (${shown.api_url_from})`)],
    ['credential', toTerminalLine(shown.credential_from ?? 'none')],
    ['board', toTerminalLine(`${shown.board_url}${shown.board_key ? ', with a key' : ''}`)],
    ['home', toTerminalLine(shown.home)],
    ['environment', toTerminalLine(shown.environment_file)],
    ['profiles', toTerminalLine(shown.profiles_file)],
  ])
  if (profiles.length === 0) return `${settings}\n\n${style.paint.dim('No profiles. "daybook login" makes one.')}`
  const rows = profiles.map(({ name, api_url, username, is_default }) => {
    return [name, toTerminalLine(api_url), toTerminalLine(username ?? ''), is_default ? 'yes' : '']
  })
  return `${settings}\n\n${table(style, COLUMNS, rows)}`
}
