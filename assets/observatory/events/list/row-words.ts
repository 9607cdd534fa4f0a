import type { StoredEvent } from '#model/events/event'
import { sentenceOf } from '#model/sentences/event-sentence'
import { findMatches } from '../../../shared/words/text.js'
import { eventText } from '../event-words.js'

export type RowWords =
  | { kind: 'said'; text: string }
  /** The search term occurs only there: `payload.head_commit.message`. */
  | { kind: 'found'; path: string; text: string }
  | { kind: 'none' }

const SHOWN = 600
const BEFORE = 24
/** Matches after this would be hidden. */
const SEEN = 60
const MOST_STRINGS = 5_000

/** The second line of a row, cut so that the first match is visible. @param terms search terms */
export function rowWords(event: StoredEvent, terms: readonly string[]): RowWords {
  const said = eventText(event)
  const names = sentenceOf(event).flatMap(part => (part.kind === 'place' ? part.steps : [part.text]))
  const inSight = [said, ...names]
  const missing = terms.filter(term => !inSight.some(text => isIn(text, term)))
  const found = missing.length > 0 ? findInside(event, missing) : undefined
  if (found) return { kind: 'found', path: found.path, text: excerpt(found.text, missing) }
  // Keeps the names of emoji during a search, which may be for such a name and then marks it.
  const shownCodes = (text: string) => (terms.length === 0 ? withEmoji(text) : text)
  return said.trim() === '' ? { kind: 'none' } : { kind: 'said', text: withoutMarks(shownCodes(excerpt(said, terms))) }
}

/** The words of a Markdown text without its marks, because a row has one style and one line. */
function withoutMarks(text: string): string {
  return text
    .replaceAll(/!?\[([^[\]\n]*)\]\([^()\s]*\)/g, '$1')
    .replaceAll(/^(?:>|#{1,6}|[-*]) /gm, '')
    .replaceAll(/\*\*|~~|`+/g, '')
}

function isIn(text: string, term: string): boolean {
  return findMatches(text, [term], 1).length > 0
}

function excerpt(text: string, terms: readonly string[]): string {
  const [first] = terms.length > 0 ? findMatches(text, terms, 1) : []
  const from = first && first[0] > SEEN ? first[0] - BEFORE : 0
  if (from === 0 && text.length <= SHOWN) return text
  const cut = text.slice(from, from + SHOWN)
  // Removes half surrogate pairs at both ends.
  const whole = cut.replace(/^[\udc00-\udfff]/, '').replace(/[\ud800-\udbff]$/, '')
  return `${from > 0 ? '…' : ''}${whole}${from + SHOWN < text.length ? '…' : ''}`
}

/** The first string with a term, where the server searches: in the payload, the actor, the conversation. */
function findInside(event: StoredEvent, terms: readonly string[]): { path: string; text: string } | undefined {
  const { payload, actor, conversation } = event
  const open: { path: string; value: unknown }[] = [
    { path: 'conversation', value: conversation },
    { path: 'actor', value: actor },
    { path: 'payload', value: payload },
  ]
  for (let looked = 0; open.length > 0 && looked < MOST_STRINGS; looked++) {
    const { path, value } = open.pop() as (typeof open)[number]
    if (typeof value === 'string') {
      if (terms.some(term => isIn(value, term))) return { path, text: value }
    } else if (typeof value === 'object' && value !== null) {
      const members = Object.entries(value).slice(0, MOST_STRINGS)
      const within = (name: string) => (Array.isArray(value) ? `${path}[${name}]` : `${path}.${name}`)
      open.push(...members.reverse().map(([name, member]) => ({ path: within(name), value: member as unknown })))
    }
  }
  return undefined
}

/** Frequent emoji by their names on Zulip, Discourse, GitHub and GitLab. */
const EMOJI = new Map(
  `+1 👍 thumbs_up 👍 thumbsup 👍 -1 👎 thumbs_down 👎 thumbsdown 👎 ok_hand 👌
  tada 🎉 heart ❤️ rocket 🚀 eyes 👀 fire 🔥 sparkles ✨ star ⭐ pray 🙏 wave 👋
  smile 😄 smiley 😃 slight_smile 🙂 joy 😂 laughing 😆 wink 😉 thinking 🤔 cry 😢
  confused 😕 open_mouth 😮 sweat_smile 😅 clap 👏 muscle 💪 bug 🐛 memo 📝 lock 🔒
  check ✅ white_check_mark ✅ heavy_check_mark ✔️ x ❌ warning ⚠️ construction 🚧
  package 📦 ship 🚢 wrench 🔧 bulb 💡 zap ⚡ coffee ☕ bell 🔔 question ❓`
    .split(/\n *| (?=[\w+-]+ )/)
    .map(pair => pair.split(' ') as [string, string]),
)

/** Codes in a row, apart from words, ports, addresses and code. */
const CODES = /(?<![\w:/`])(?::(?:[+-]1|[a-z][a-z0-9_+-]{0,40}):){1,8}(?![\w:/`])/g

/** Shows `:tada:` as its character, and the code of an emoji without an entry as its name, `party blob`. */
export function withEmoji(text: string): string {
  return text.replaceAll(CODES, codes =>
    codes
      .slice(1, -1)
      .split('::')
      .map(name => EMOJI.get(name) ?? name.replaceAll('_', ' '))
      .join(''),
  )
}
