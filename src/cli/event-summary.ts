import { at, lineAt } from './fields.js'

/** What an event is about, in a line. */
export function eventSubject(event: unknown): string {
  return (
    lineAt(event, 'conversation', 'title') ||
    lineAt(event, 'target', 'display') ||
    lineAt(event, 'target', 'key') ||
    `${lineAt(event, 'subject_type')} ${lineAt(event, 'subject_id')}`
  )
}

export function eventActor(event: unknown): string {
  return lineAt(event, 'actor', 'display') || lineAt(event, 'actor', 'id')
}

/** The things that carry what was acted on, from itself outwards. */
export function targetPath(event: unknown): string {
  const names: string[] = []
  for (let node = at(event, 'target'); node !== undefined && names.length < 10; node = at(node, 'parent')) {
    const name = lineAt(node, 'display') || lineAt(node, 'key')
    const type = lineAt(node, 'type')
    if (name || type) names.push(name && type ? `${type} ${name}` : name || type)
  }
  return names.join(' ‹ ')
}
