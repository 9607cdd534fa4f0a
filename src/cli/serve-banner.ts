import type { Look } from './look.js'
import { toTerminalLine } from './terminal-text.js'

/** What `serve` has opened. */
export interface Serving {
  /** The ledger's address, with its root path. */
  ledger: string
  /** Path of the database. */
  database: string
  /** Reading needs one. */
  needsLogin: boolean
  /** How to start this program. */
  program: string
}

const DEFAULT_ADDRESS = 'http://127.0.0.1:8765'

/** What a person is told once everything listens, and what to try next. */
export function serveBanner({ ledger, database, needsLogin, program }: Serving, { paint }: Look): string {
  const address = toTerminalLine(ledger)
  const apiUrl = address === DEFAULT_ADDRESS ? '' : ` --api-url ${address}`
  const event = '{"kind":"note.created","subject_id":"1","subject_type":"note"}'
  return [
    paint.bold('Daybook is listening.'),
    '',
    `  ${paint.dim('ledger')}    ${paint.cyan(address)}`,
    `  ${paint.dim('database')}  ${toTerminalLine(database)}`,
    ...(needsLogin ? [`  ${paint.dim('login')}     ${paint.cyan(`${address}/login`)}`] : []),
    '',
    'Record a first event, and read it back, from another terminal:',
    '',
    `  curl -sS ${address}/api/events -H 'content-type: application/json' -d '${event}'`,
    `  ${program} api events${apiUrl}${needsLogin ? ' --token <token>' : ''}`,
    '',
    ...(needsLogin ? [`"${program} users token <username>" issues a token.`, ''] : []),
    paint.dim('Ctrl+C stops it.'),
    '',
  ].join('\n')
}
