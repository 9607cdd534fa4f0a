import { basename } from 'node:path'
import type { TerminalStyle } from '../terminal/style.js'
import { toTerminalLine } from '../terminal/text.js'

/** The servers that `serve` started. */
export interface StartedServers {
  ledger?:
    | {
        /** Its address, including its root path. */
        url: string
        /** Path of its database. */
        database: string
        /** Whether reading requires a login. */
        needsLogin: boolean
        /** Address of the ledger that it follows. */
        follows?: string
      }
    | undefined
  board?:
    | {
        url: string
        /** The folder of its files, or the address of its database without the password. */
        database: string
      }
    | undefined
  /** The command that starts this program. */
  program: string
  /** Whether the events are sample data. */
  isDemo?: boolean
}

const DEFAULT_ADDRESS = 'http://127.0.0.1:8765'

/** Message for the user after the servers have started, with suggestions for next steps. */
export function serveBanner(serving: StartedServers, { paint }: TerminalStyle): string {
  const { ledger, board, isDemo } = serving
  return [
    paint.bold(isDemo ? 'Daybook shows a demo: sample events in a throwaway ledger.' : 'Daybook is listening.'),
    '',
    ...(ledger ? [`  ${paint.dim('ledger')}    ${paint.cyan(toTerminalLine(ledger.url))}`] : []),
    ...(ledger ? [`  ${paint.dim('database')}  ${toTerminalLine(ledger.database)}`] : []),
    ...(ledger?.follows ? [`  ${paint.dim('follows')}   ${toTerminalLine(ledger.follows)}`] : []),
    ...(board ? [`  ${paint.dim('board')}     ${paint.cyan(toTerminalLine(board.url))}`] : []),
    ...(board && !ledger ? [`  ${paint.dim('database')}  ${toTerminalLine(board.database)}`] : []),
    ...(ledger?.needsLogin ? [`  ${paint.dim('login')}     ${paint.cyan(`${toTerminalLine(ledger.url)}/login`)}`] : []),
    '',
    ...nextSteps(serving),
    paint.dim('Ctrl+C stops it.'),
    '',
  ].join('\n')
}

function nextSteps({ ledger, program, isDemo }: StartedServers): string[] {
  if (!ledger) return []
  const address = toTerminalLine(ledger.url)
  const apiUrl = address === DEFAULT_ADDRESS ? '' : ` --api-url ${address}`
  if (isDemo) {
    return [
      'More events come every few seconds. Watch them, from another terminal:',
      '',
      `  ${program} api events${apiUrl} --follow`,
      '',
      'Settings of a real ledger or board are ignored; the demo data is deleted on exit.',
      '',
    ]
  }
  if (ledger.follows) return ['Changes are refused here. `daybook ledger promote` makes it a ledger of its own.', '']
  const event = '{"kind":"note.created","subject_id":"1","subject_type":"note"}'
  return [
    'Record an event, and read it back, from another terminal:',
    '',
    `  curl -sS ${address}/api/events -H 'content-type: application/json' -d '${event}'`,
    `  ${program} api events${apiUrl}${ledger.needsLogin ? ' --token <token>' : ''}`,
    '',
    ...(ledger.needsLogin ? [`"${program} users token <username>" issues a token.`, ''] : []),
  ]
}

/**
 * The command that starts this program, for commands that users copy: its name once it is installed, else npx, in the
 * folder of a checkout.
 *
 * @param script the path that started the process
 */
export function programName(script: string): string {
  return basename(script) === 'daybook' ? 'daybook' : 'npx daybook'
}
