import { card } from './card.js'
import { lineAt } from './fields.js'
import type { Rendering } from './server-caller.js'
import { toTerminalLine } from './terminal-text.js'

/** A token that was issued just now. */
export function issuedTokenCard(username: string): Rendering {
  return (token, look) => {
    const { paint } = look
    const title = `API token of ${paint.cyan(toTerminalLine(username))}`
    const rows = card(look, title, [
      ['token', paint.green(lineAt(token, 'token'))],
      ['id', lineAt(token, 'id')],
      ['created', lineAt(token, 'created_at')],
    ])
    return `${rows}\n\nKeep it now: it is not shown again. Commands take it from EVENT_API_TOKEN or --token.`
  }
}
