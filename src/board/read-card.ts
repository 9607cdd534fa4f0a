import { type FieldProblem, refusedInput } from '../model/app-error.js'
import {
  CARD_LIMITS,
  CardChangesSchema,
  type CardInputChanges,
  type NewCard,
  NewCardSchema,
} from '../model/board/card.js'
import { toFieldProblems } from '../model/field-problems.js'
import { readObject } from '../model/json-object.js'
import { schemaCheck } from '../model/schema-check.js'

const LISTS = [
  { name: 'labels', most: CARD_LIMITS.labels },
  { name: 'links', most: CARD_LIMITS.links },
] as const

const checkNew = schemaCheck(NewCardSchema)
const checkChanges = schemaCheck(CardChangesSchema)

/**
 * Reads a new card. Members that the board sets itself, such as `version`, cannot be sent.
 *
 * @param columns of this board
 * @throws AppError `invalid/invalid_json` if it is not an object, `invalid/invalid_field` with every refused field
 *
 * Source: decisions on the board, section 8.
 */
export function readCard(input: unknown, columns: readonly string[]): NewCard {
  const sent = withoutBlankEnds(readMembers(input))
  if (!checkNew.Check(sent)) throw refusedInput('The card', toFieldProblems(checkNew.Errors(sent), sent))
  refuseMisfits('The card', sent, columns)
  return sent
}

/** Reads the changes of a card, at least one member. Otherwise like `readCard`. */
export function readCardChanges(input: unknown, columns: readonly string[]): CardInputChanges {
  const sent = withoutBlankEnds(readMembers(input))
  if (!checkChanges.Check(sent)) throw refusedInput('The change', toFieldProblems(checkChanges.Errors(sent), sent))
  if (Object.keys(sent).length === 0) {
    const known = Object.keys(CardChangesSchema.properties).join(', ')
    throw refusedInput('The change', [{ field: '', detail: `The change is empty. Send at least one of: ${known}.` }])
  }
  refuseMisfits('The change', sent, columns)
  return sent
}

function readMembers(input: unknown): Record<string, unknown> {
  const members = readObject(input, 'The body')
  // The length is checked before any element is.
  const long = LISTS.filter(({ name, most }) => Array.isArray(members[name]) && members[name].length > most)
  if (long.length === 0) return members
  throw refusedInput(
    'The card',
    long.map(({ name, most }) => ({ field: `/${name}`, detail: `/${name} must not have more than ${most} items.` })),
  )
}

/** For texts that people write and compare. Links stay as sent. */
function withoutBlankEnds(members: Record<string, unknown>): Record<string, unknown> {
  const trimmed = (value: unknown) => (typeof value === 'string' ? value.trim() : value)
  const { title, labels, assignee } = members
  return {
    ...members,
    ...(title === undefined ? {} : { title: trimmed(title) }),
    ...(assignee === undefined ? {} : { assignee: trimmed(assignee) }),
    ...(Array.isArray(labels) ? { labels: labels.map(trimmed) } : {}),
  }
}

/** Rules that a schema cannot express. */
function refuseMisfits(what: string, sent: CardInputChanges, columns: readonly string[]): void {
  const { body = '', column } = sent
  const problems: FieldProblem[] = []
  for (const { name } of LISTS) {
    const items = sent[name] ?? []
    if (new Set(items).size < items.length) {
      problems.push({ field: `/${name}`, detail: `/${name} must not contain duplicates.` })
    }
  }
  if (column !== undefined && !columns.includes(column)) {
    problems.push({ field: '/column', detail: `/column must be one of: ${columns.join(', ')}.` })
  }
  if (Buffer.byteLength(body) > CARD_LIMITS.bodyBytes) {
    problems.push({ field: '/body', detail: `/body must be at most ${CARD_LIMITS.bodyBytes} bytes long.` })
  }
  if (problems.length > 0) throw refusedInput(what, problems)
}
