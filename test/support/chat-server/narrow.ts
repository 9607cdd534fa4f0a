import { type BookedMessage, type MessageBook, sameTopic } from './message-book.js'
import { badNarrow, Refusal } from './refusal.js'

interface Term {
  operator: string
  operand: string | number
  negated: boolean
}

type Test = (message: BookedMessage) => boolean

/** From which feature level an operator is understood. */
const SINCE: Record<string, number> = { stream: 0, topic: 0, sender: 0, channel: 250, with: 271 }

/**
 * Reads the `narrow` parameter: JSON, a list of objects or of the older pairs.
 *
 * @throws Refusal
 */
export function readNarrow(text: string | null, book: MessageBook, featureLevel: number): Test {
  if (text === null) return () => true
  const terms = withoutWith(readTerms(text), book, featureLevel)
  const tests = terms.map(term => {
    const test = toTest(term, book)
    return (message: BookedMessage) => test(message) !== term.negated
  })
  return message => tests.every(test => test(message))
}

function readTerms(text: string): Term[] {
  const value = parse(text)
  if (!Array.isArray(value)) throw new Refusal(400, 'BAD_REQUEST', 'narrow is not a list')
  return value.map(readTerm)
}

function readTerm(value: unknown): Term {
  const [operator, operand, negated] = Array.isArray(value)
    ? [value[0], value[1], false]
    : [
        Reflect.get(Object(value), 'operator'),
        Reflect.get(Object(value), 'operand'),
        Reflect.get(Object(value), 'negated'),
      ]
  if (typeof operator !== 'string' || (typeof operand !== 'string' && typeof operand !== 'number')) {
    throw new Refusal(400, 'BAD_REQUEST', 'narrow[0] is not an operator with its operand')
  }
  return { operator, operand, negated: negated === true }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Refusal(400, 'INVALID_JSON', 'Argument "narrow" is not valid JSON.')
  }
}

/**
 * `with` replaces the place in the other terms by the current place of its message; a deleted message leaves
 * them unchanged.
 */
function withoutWith(terms: readonly Term[], book: MessageBook, featureLevel: number): Term[] {
  for (const { operator } of terms) {
    if ((SINCE[operator] ?? Number.POSITIVE_INFINITY) > featureLevel) throw badNarrow(`unknown operator ${operator}`)
  }
  const others = terms.filter(({ operator }) => operator !== 'with')
  const [term, second] = terms.filter(({ operator }) => operator === 'with')
  if (second) throw badNarrow("Duplicate 'with' operators.")
  if (!term) return others
  const id = Number(term.operand)
  if (!Number.isSafeInteger(id)) throw badNarrow("Invalid 'with' operator")
  const message = book.find(id)
  if (!message) return others
  return [
    { operator: 'stream', operand: message.streamId, negated: false },
    { operator: 'topic', operand: message.topic, negated: false },
    ...others.filter(({ operator }) => !['stream', 'channel', 'topic'].includes(operator)),
  ]
}

function toTest({ operator, operand }: Term, book: MessageBook): Test {
  switch (operator) {
    case 'stream':
    case 'channel': {
      const id = book.streamId(operand)
      if (id === undefined) throw badNarrow('unknown channel')
      return message => message.streamId === id
    }
    case 'topic':
      return message => sameTopic(message.topic, String(operand))
    default:
      return message => message.senderId === Number(operand)
  }
}
