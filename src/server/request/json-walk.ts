/** Where a text stops being JSON: index of a UTF-16 unit, and the problem. */
interface JsonFault {
  offset: number
  problem: string
}

/** Called for every number token, with a function that returns its place as a JSON pointer. */
type OnNumber = (token: string, pointer: () => string) => void

interface Frame {
  array: boolean
  index: number
  name: string
}

type Expected = 'value' | 'value or end' | 'name' | 'name or end' | 'more or end'

const LITERALS = ['true', 'false', 'null'] as const

/**
 * Walks over a JSON text without building values, and without recursion, because a text may be nested as deep as it is
 * long. It finds facts that `JSON.parse` does not report: where a text is broken (the messages of engines differ, and
 * quote the input), and the digits of a number before rounding.
 *
 * @returns the first fault, or undefined for a valid text (RFC 8259)
 */
export function walkJson(text: string, onNumber?: OnNumber): JsonFault | undefined {
  const stack: Frame[] = []
  const pointer = () => stack.map(frame => `/${frame.array ? frame.index : escapeStep(frame.name)}`).join('')
  let expected: Expected = 'value'
  let at = skipBlanks(text, 0)

  while (at < text.length) {
    const character = text[at] ?? ''
    const frame = stack.at(-1)
    if (expected === 'more or end') {
      if (!frame) return { offset: at, problem: 'nothing may follow the value' }
      if (character === ',') {
        frame.index += 1
        expected = frame.array ? 'value' : 'name'
      } else if (character === (frame.array ? ']' : '}')) {
        stack.pop()
      } else {
        return { offset: at, problem: `"," or "${frame.array ? ']' : '}'}" is missing` }
      }
      at += 1
    } else if (frame && expected === 'value or end' && character === ']') {
      stack.pop()
      expected = 'more or end'
      at += 1
    } else if (frame && expected === 'name or end' && character === '}') {
      stack.pop()
      expected = 'more or end'
      at += 1
    } else if (frame && (expected === 'name' || expected === 'name or end')) {
      if (character !== '"') return { offset: at, problem: 'a member name in double quotes is missing' }
      const end = endOfString(text, at)
      if (typeof end !== 'number') return end
      frame.name = JSON.parse(text.slice(at, end))
      at = skipBlanks(text, end)
      if (text[at] !== ':') return { offset: at, problem: '":" is missing after a member name' }
      expected = 'value'
      at += 1
    } else if (character === '{' || character === '[') {
      stack.push({ array: character === '[', index: 0, name: '' })
      expected = character === '[' ? 'value or end' : 'name or end'
      at += 1
    } else {
      const end = endOfScalar(text, at)
      if (typeof end !== 'number') return end
      if (onNumber && (character === '-' || isDigit(character))) onNumber(text.slice(at, end), pointer)
      expected = 'more or end'
      at = end
    }
    at = skipBlanks(text, at)
  }
  if (stack.length > 0 || expected !== 'more or end') return { offset: text.length, problem: 'the text ends too early' }
  return undefined
}

function skipBlanks(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at += 1
  }
}

/** Index after a string, number or literal that begins at `at`. */
function endOfScalar(text: string, at: number): number | JsonFault {
  if (text[at] === '"') return endOfString(text, at)
  const literal = LITERALS.find(word => text.startsWith(word, at))
  if (literal) return at + literal.length
  const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
  number.lastIndex = at
  if (number.test(text)) return number.lastIndex
  return { offset: at, problem: 'a value is missing' }
}

function endOfString(text: string, start: number): number | JsonFault {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x22) return at + 1
    if (code < 0x20) return { offset: at, problem: 'a control character in a string is not escaped' }
    if (code !== 0x5c) continue
    at += 1
    if (text[at] === 'u') {
      if (!/^[0-9a-fA-F]{4}$/.test(text.slice(at + 1, at + 5))) return { offset: at, problem: 'a \\u escape is broken' }
      at += 4
    } else if (at < text.length && !'"\\/bfnrt'.includes(text[at] ?? '')) {
      return { offset: at, problem: 'an escape is broken' }
    }
  }
  return { offset: text.length, problem: 'a string does not end' }
}

function isDigit(character: string): boolean {
  return character >= '0' && character <= '9'
}

/** Source: RFC 6901. */
function escapeStep(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1')
}
