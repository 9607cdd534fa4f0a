import type { CardActor, CardHistoryEntry } from './card-history.js'

const ACTORS: Readonly<Record<CardActor['kind'], string>> = {
  user: 'A user',
  password: 'Someone with the password',
  key: 'A program with the API key',
  owner: 'The operator',
  open: 'Someone',
  executor: 'The executor',
}

/** `ada`, `The executor` */
export function actorWords({ kind, name }: CardActor): string {
  return name ?? ACTORS[kind]
}

const MODES = { dry_run: 'a dry run', mock: 'a mock run', real: 'a real run' } as const

/** What the actor did: `moved the card from Backlog to Doing`. @param columnTitle returns the title of a column */
export function actionWords(entry: CardHistoryEntry, columnTitle: (name: string) => string): string {
  const { action, from = '', to = '', fields = [], ticked = 0, unticked = 0, mode = 'dry_run', again, state } = entry
  switch (action) {
    case 'created':
      return `created the card in ${columnTitle(to)}`
    case 'moved':
      return `moved the card from ${columnTitle(from)} to ${columnTitle(to)}`
    case 'edited':
      return `changed ${listed(fields.map(field => (field === 'body' ? 'the text' : `the ${field}`)))}`
    case 'ticked':
      return listed(
        [ticked > 0 && `ticked ${tasks(ticked)}`, unticked > 0 && `unticked ${tasks(unticked)}`].filter(isText),
      )
    case 'deleted':
      return 'deleted the card'
    case 'run_started':
      return `started ${MODES[mode]}${again ? ' again' : ''}`
    case 'run_cancelled':
      return `cancelled ${MODES[mode]}`
    case 'run_ended':
      return `ended ${MODES[mode]}: ${state ?? 'unknown'}`
  }
}

function tasks(count: number): string {
  return count === 1 ? 'a task' : `${count} tasks`
}

function isText(value: string | false): value is string {
  return value !== false
}

function listed(parts: readonly string[]): string {
  return parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} and ${parts.at(-1)}`
}
