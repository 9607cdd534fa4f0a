import type { Rendering } from './api-command-context.js'
import { card } from './card.js'
import { lineAt } from './fields.js'
import { toTerminalLine } from './terminal-text.js'
import { tokenRights } from './token-rights.js'

/** Renders a new token. */
export function issuedTokenCard(username: string): Rendering {
  return (token, style) => {
    const { paint } = style
    const title = `API token of ${paint.cyan(toTerminalLine(username))}`
    const rows = card(style, title, [
      ['token', paint.green(lineAt(token, 'token'))],
      ['id', lineAt(token, 'id')],
      ['may', tokenRights(token)],
      ['created', lineAt(token, 'created_at')],
    ])
    return `${rows}\n\nSave it now: it is not shown again. Commands read it from EVENT_API_TOKEN or --token.`
  }
}
