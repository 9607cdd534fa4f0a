import { joinSentence, sentenceOf } from '../model/sentences/event-sentence.js'
import { at, lineAt } from './fields.js'
import { toTerminalLine } from './terminal-text.js'

/** An event as a sentence, safe for a terminal: `Ada ran workflow test on tide/relay: failed`. */
export function eventSentence(event: unknown): string {
  return joinSentence(sentenceOf(event), toTerminalLine)
}

/** The sentence, and the text of its message or comment. */
export function eventWords(event: unknown): string {
  const text = lineAt(event, 'conversation', 'text')
  return text === '' ? eventSentence(event) : `${eventSentence(event)} · ${text}`
}

/** The target and the things that contain it, innermost first. */
export function targetPath(event: unknown): string {
  const names: string[] = []
  for (let node = at(event, 'target'); node !== undefined && names.length < 10; node = at(node, 'parent')) {
    const name = lineAt(node, 'display') || lineAt(node, 'key')
    const type = lineAt(node, 'type')
    if (name || type) names.push(name && type ? `${type} ${name}` : name || type)
  }
  return names.join(' ‹ ')
}
