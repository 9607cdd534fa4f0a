import type { MarkedToken, Token } from 'marked'
import { shownText } from '../../shared/words/text.js'

/** Allowed elements: only those that Markdown produces. */
const TAGS = [
  ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 'del', 'code', 'pre', 'blockquote'],
  ...['ul', 'ol', 'li', 'a', 'input', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]
const ATTRIBUTES = ['href', 'title', 'start', 'type', 'checked', 'disabled']
/** Only absolute web addresses: nothing executable, nothing relative to the page. */
const ADDRESSES = /^https?:\/\//i
/** Above it are the page's own headings: the board, and the card. */
const HEADINGS_ABOVE = 2
const DEEPEST_HEADING = 6

/**
 * Renders Markdown to nodes: links only to `http` and `https`, images as links, no styles, classes or ids, and HTML as
 * plain text.
 *
 * Both libraries load with the first card. Nothing passes through `innerHTML`.
 */
export async function renderMarkdown(text: string): Promise<DocumentFragment> {
  const [{ Marked }, { default: DOMPurify }] = await Promise.all([import('marked'), import('dompurify')])
  const depthOf = headingDepths()
  const marked = new Marked({ gfm: true, walkTokens: token => sanitiseToken(token, depthOf) })
  const markup = await marked.parse(text)
  const content = DOMPurify.sanitize(markup, {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESSES,
    // Their values are not addresses.
    ADD_URI_SAFE_ATTR: ['type', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  finish(content)
  return content
}

function sanitiseToken(token: Token, depthOf: (written: number) => number): void {
  const known = token as MarkedToken
  if (known.type === 'heading') known.depth = depthOf(known.depth)
  else if (known.type === 'html')
    Object.assign(token, { type: 'text', text: known.text, tokens: undefined, escaped: false })
  else if (known.type === 'image') {
    const text = known.text || known.href
    Object.assign(token, { type: 'link', tokens: [{ type: 'text', raw: text, text, escaped: false }] })
  }
}

/**
 * Continues the page's heading levels without gaps from any level: a text with `##` and `####` has
 * two levels.
 *
 * @returns the level of each heading, called in order
 */
function headingDepths(): (written: number) => number {
  let open: number[] = []
  return written => {
    open = [...open.filter(depth => depth < written), written]
    return Math.min(DEEPEST_HEADING, HEADINGS_ABOVE + open.length)
  }
}

function finish(content: DocumentFragment): void {
  for (const link of content.querySelectorAll('a')) {
    if (!ADDRESSES.test(link.getAttribute('href') ?? '')) link.removeAttribute('href')
    if (!link.hasAttribute('href')) continue
    link.rel = 'noopener noreferrer'
    link.target = '_blank'
  }
  for (const box of content.querySelectorAll('input')) {
    if (box.type !== 'checkbox') box.remove()
    box.disabled = true
    box.setAttribute('aria-label', box.checked ? 'Done' : 'To do')
  }
  for (const block of content.querySelectorAll('p, li, h3, h4, h5, h6, td, th, pre')) block.setAttribute('dir', 'auto')
  for (const block of content.querySelectorAll('pre, table')) block.setAttribute('tabindex', '0')
  showMarks(content)
}

/** Replaces invisible and reordering characters with their names. */
function showMarks(content: DocumentFragment): void {
  const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT)
  const texts: Text[] = []
  while (walker.nextNode()) texts.push(walker.currentNode as Text)
  for (const text of texts) {
    const { pieces } = shownText(text.data, { limit: text.length })
    if (pieces.every(piece => piece.kind === 'text')) {
      text.data = pieces.map(piece => (piece.kind === 'text' ? piece.text : '')).join('')
      continue
    }
    text.replaceWith(
      ...pieces.map(piece => {
        if (piece.kind === 'text') return piece.text
        const tag = document.createElement('span')
        tag.className = 'tag mark-name'
        tag.textContent = piece.name
        return tag
      }),
    )
  }
}
