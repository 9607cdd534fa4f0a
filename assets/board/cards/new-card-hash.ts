const TITLE_CHARACTERS = 200
const LINK_CHARACTERS = 512
const LINKS = 50

/** A card requested by another page. Only its lengths are checked. */
interface RequestedCard {
  title: string
  links: string[]
}

/**
 * Reads `#new?title=…&link=…`, set by the observatory. It uses a fragment, so that no server sees the content.
 *
 * @returns undefined for any other fragment
 */
export function readNewCardHash(hash: string): RequestedCard | undefined {
  const [, query] = /^#new(?:\?(.*))?$/s.exec(hash) ?? []
  if (!/^#new(?:\?|$)/.test(hash)) return undefined
  const asked = new URLSearchParams(query ?? '')
  const title = (asked.get('title') ?? '').replace(/[\x00-\x1f\x7f\s]+/g, ' ').trim()
  const links = asked.getAll('link').filter(link => link !== '' && link.length <= LINK_CHARACTERS)
  return { title: cut(title), links: [...new Set(links)].slice(0, LINKS) }
}

/** Cuts a text, but never within a surrogate pair. */
function cut(text: string): string {
  if (text.length <= TITLE_CHARACTERS) return text
  return text
    .slice(0, TITLE_CHARACTERS - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()
    .concat('…')
}
