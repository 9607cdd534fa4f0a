const TITLE_CHARACTERS = 200
const LINK_CHARACTERS = 512
const LINKS = 50

/** A card that another page asks for. Nobody has checked what stands in it, but for its bounds. */
export interface AskedCard {
  title: string
  links: string[]
}

/**
 * Reads `#new?title=…&link=…`, which the observatory puts into the address. It stands behind `#`, so no server sees it.
 *
 * @returns undefined for any other fragment
 */
export function readNewCardHash(hash: string): AskedCard | undefined {
  const [, query] = /^#new(?:\?(.*))?$/s.exec(hash) ?? []
  if (!/^#new(?:\?|$)/.test(hash)) return undefined
  const asked = new URLSearchParams(query ?? '')
  const title = (asked.get('title') ?? '').replace(/[\x00-\x1f\x7f\s]+/g, ' ').trim()
  const links = asked.getAll('link').filter(link => link !== '' && link.length <= LINK_CHARACTERS)
  return { title: cut(title), links: [...new Set(links)].slice(0, LINKS) }
}

/** Not in the middle of a character. */
function cut(text: string): string {
  if (text.length <= TITLE_CHARACTERS) return text
  return text
    .slice(0, TITLE_CHARACTERS - 1)
    .replace(/[\ud800-\udbff]$/, '')
    .trimEnd()
    .concat('…')
}
