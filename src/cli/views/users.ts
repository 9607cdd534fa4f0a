import type { Rendering } from '../base/api-context.js'
import { card } from '../terminal/card.js'
import { at, lineAt, linesAt, listAt, timeAt } from '../terminal/fields.js'
import type { TerminalStyle } from '../terminal/style.js'
import { table } from '../terminal/table.js'
import { toTerminalLine } from '../terminal/text.js'

/** Renders one user. */
export function userCard(user: unknown, style: TerminalStyle): string {
  const { paint } = style
  const state = at(user, 'enabled') === false ? paint.yellow('disabled') : paint.green('enabled')
  return card(style, `User ${paint.cyan(lineAt(user, 'username'))}, ${state}`, [
    ['role', lineAt(user, 'role')],
    ['id', lineAt(user, 'id')],
    ['created', lineAt(user, 'created_at')],
    ['updated', lineAt(user, 'updated_at')],
  ])
}

/** @param database where the user was created, possibly a new ledger */
export function createdUserCard(database: string): Rendering {
  return (user, style) => {
    const where = `Created in ${toTerminalLine(database)}.`
    return `${style.paint.green(where)}\n\n${userCard(user, style)}`
  }
}

const USER_COLUMNS = [
  { title: 'username', flexible: true },
  { title: 'role' },
  { title: 'on' },
  { title: 'id' },
  { title: 'created (UTC)' },
]

/** Renders the response of `GET /api/users`. */
export function userTable(users: unknown, style: TerminalStyle): string {
  const items = listAt(users, 'items')
  if (items.length === 0) return style.paint.dim('No users. Create one with "daybook users create".')
  const rows = items.map(user => [
    lineAt(user, 'username'),
    lineAt(user, 'role'),
    at(user, 'enabled') === false ? 'no' : 'yes',
    lineAt(user, 'id'),
    timeAt(user, 'created_at'),
  ])
  return table(style, USER_COLUMNS, rows)
}

const LOG_COLUMNS = [
  { title: 'when (UTC)' },
  { title: 'what' },
  { title: 'to whom' },
  { title: 'changes', flexible: true },
  { title: 'by' },
  { title: 'from' },
]

/** Renders the response of `GET /api/users/log`. */
export function accountLogTable(log: unknown, style: TerminalStyle): string {
  const items = listAt(log, 'items')
  if (items.length === 0) return style.paint.dim('No changes to users and tokens yet.')
  const rows = items.map(entry => [
    timeAt(entry, 'at'),
    lineAt(entry, 'action')
      .replace(/^ledger\./, '')
      .replaceAll('_', ' '),
    lineAt(entry, 'user', 'username') || '-',
    toTerminalLine(changesText(at(entry, 'changes'))),
    lineAt(entry, 'by', 'user', 'username') || lineAt(entry, 'by', 'identity').replaceAll('_', ' '),
    lineAt(entry, 'address') || '-',
  ])
  return table(style, LOG_COLUMNS, rows)
}

/** `role member → admin, password changed` */
function changesText(changes: unknown): string {
  if (typeof changes !== 'object' || changes === null) return ''
  const texts = Object.entries(changes).map(([member, change]) => {
    if (typeof change === 'string') return `${member} ${change}`
    if (member === 'token') return `token ${lineAt(change, 'prefix') || lineAt(change, 'id')}`
    const [from, to] = [at(change, 'from') ?? null, at(change, 'to') ?? null]
    if (from === null) return `${member} ${to}`
    return to === null ? `${member} was ${from}` : `${member} ${from} → ${to}`
  })
  return texts.join(', ')
}

/** The rights of an API token, in a few words. A server of version 0.2 sends none; its tokens have all rights. */
function tokenRights(token: unknown): string {
  if (at(token, 'may') === 'read') return 'read what its user may'
  if (at(token, 'may') !== 'write') return 'all rights of its user'
  return `record events of ${linesAt(token, 'sources').join(', ')}`
}

/** Renders a new token. @param username absent: the caller's own */
export function issuedTokenCard(username: string | undefined): Rendering {
  return (token, style) => {
    const { paint } = style
    const title = username === undefined ? 'Your API token' : `API token of ${paint.cyan(toTerminalLine(username))}`
    const rows = card(style, title, [
      ['token', paint.green(lineAt(token, 'token'))],
      ['id', lineAt(token, 'id')],
      ['name', lineAt(token, 'name')],
      ['may', tokenRights(token)],
      ['created', lineAt(token, 'created_at')],
      ['ends', lineAt(token, 'expires_at')],
    ])
    return `${rows}\n\nSave it now: it is not shown again. Commands read it from EVENT_API_TOKEN or --token.`
  }
}

const TOKEN_COLUMNS = [
  { title: 'id' },
  { title: 'begins with' },
  { title: 'name', flexible: true },
  { title: 'may' },
  { title: 'created (UTC)' },
  { title: 'last used (UTC)' },
  { title: 'ends (UTC)' },
]

/** Renders the response of `GET /api/users/{id}/tokens`. */
export function tokenTable(tokens: unknown, style: TerminalStyle): string {
  const items = listAt(tokens, 'items')
  if (items.length === 0)
    return style.paint.dim('No tokens. "daybook users token" or "daybook tokens issue" issues one.')
  const rows = items.map(token => [
    lineAt(token, 'id'),
    lineAt(token, 'prefix'),
    lineAt(token, 'name'),
    tokenRights(token),
    timeAt(token, 'created_at'),
    timeAt(token, 'last_used_at') || 'never',
    timeAt(token, 'expires_at') || 'never',
  ])
  return table(style, TOKEN_COLUMNS, rows)
}

const SESSION_COLUMNS = [
  { title: 'id' },
  { title: 'began (UTC)' },
  { title: 'last used (UTC)' },
  { title: 'from', flexible: true },
]

/** Renders the response of `GET /api/users/{id}/sessions`. */
export function browserSessionTable(sessions: unknown, style: TerminalStyle): string {
  const items = listAt(sessions, 'items')
  if (items.length === 0) return style.paint.dim('No sessions.')
  const rows = items.map(session => [
    lineAt(session, 'id'),
    timeAt(session, 'created_at'),
    timeAt(session, 'last_used_at'),
    lineAt(session, 'address') || '-',
  ])
  return table(style, SESSION_COLUMNS, rows)
}

/** Renders the response of `GET /api/session`. */
export function sessionCard(session: unknown, style: TerminalStyle): string {
  const needsLogin = at(session, 'admin_required') !== false
  return card(style, `You are ${whoOf(session, style)}`, [
    ['ledger', lineAt(session, 'api_url')],
    ['role', lineAt(session, 'user', 'role')],
    ['id', lineAt(session, 'user', 'id')],
    [
      'token may',
      at(session, 'may') === 'write'
        ? `${tokenRights(session)}, and read nothing`
        : at(session, 'may') === 'read'
          ? 'read, and change nothing'
          : '',
    ],
    ['login', needsLogin ? 'needed for reading' : 'not needed: this ledger has no users'],
  ])
}

function whoOf(session: unknown, { paint }: TerminalStyle): string {
  if (at(session, 'is_bootstrap_admin') === true) return paint.cyan('the bootstrap admin')
  return at(session, 'authenticated') === true
    ? paint.cyan(lineAt(session, 'user', 'username'))
    : paint.yellow('not logged in')
}
