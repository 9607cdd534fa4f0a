import type { Lexer, MarkedToken, Token, TokensList } from 'marked'
import { useEffect, useRef, useState } from 'preact/hooks'
import { html } from '../../shared/html.js'
import { shownText } from '../../shared/words/text.js'
import { Words } from '../../shared/words/text-view.js'

/** Allowed elements: only those that Markdown produces. */
const TAGS = [
  ...['p', 'br', 'hr', 'h3', 'h4', 'h5', 'h6', 'strong', 'em', 'del', 'code', 'pre', 'blockquote'],
  ...['ul', 'ol', 'li', 'a', 'input', 'table', 'thead', 'tbody', 'tr', 'th', 'td'],
]
const ATTRIBUTES = ['href', 'title', 'start', 'type', 'checked', 'disabled']
/** Only absolute web addresses: nothing executable, nothing relative to the page. */
const ADDRESSES = /^https?:\/\//i
/** Number of the page's own heading levels above the text: the board, and the card. */
const HEADINGS_ABOVE = 2
const DEEPEST_HEADING = 6
/** The mark of a task in the text, after the start of a list item. */
const TASK = /(?:[-*+]|\d[.)])[ \t]{1,4}\[[ xX]\]/g
/**
 * The library reads a text with such a word for seconds, as the time grows with the square of the word's length. It stays
 * plain text. Without the look behind, the search itself would take that time for somewhat shorter words.
 */
const LONG_WORD = /(?<!\S)\S{4096}/
/** Maximum number of marks that are skipped because they are not tasks, such as those in code. */
const MOST_PASSED = 100

/** Ticks or unticks one task of a text. @returns undefined if the text no longer has these tasks */
export type Tick = (text: string) => string | undefined
/** @returns whether the task was ticked or unticked */
export type OnTick = (tick: Tick) => boolean

/**
 * Renders Markdown to nodes: links only to `http` and `https`, images as links, no styles, classes or ids, and HTML as
 * plain text.
 *
 * Both libraries load with the first card. Nothing passes through `innerHTML`.
 *
 * @param onTick makes tasks tickable
 */
async function renderMarkdown(text: string, onTick?: OnTick): Promise<DocumentFragment> {
  const [{ Lexer, parser, walkTokens }, { default: DOMPurify }] = await Promise.all([
    import('marked'),
    import('dompurify'),
  ])
  const lex = boundedLexer(Lexer)
  const depthOf = headingDepths()
  const tokens = lex(text)
  walkTokens(tokens, token => sanitiseToken(token, depthOf))
  const content = DOMPurify.sanitize(parser(tokens), {
    ALLOWED_TAGS: TAGS,
    ALLOWED_ATTR: ATTRIBUTES,
    ALLOWED_URI_REGEXP: ADDRESSES,
    // The values of these attributes are not addresses.
    ADD_URI_SAFE_ATTR: ['type', 'start'],
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
    RETURN_DOM_FRAGMENT: true,
  })
  finish(content)
  const tasksOf = (text: string) => {
    const tasks: boolean[] = []
    walkTokens(lex(text), token => {
      if (token.type === 'list_item' && token.task) tasks.push(token.checked === true)
    })
    return tasks
  }
  if (onTick) makeTickable(content, (at, count) => onTick(text => withTicked(tasksOf, text, { at, count })))
  return content
}

/** Reads Markdown, and leaves paragraphs with a long word as they are. */
function boundedLexer(Base: typeof Lexer): (text: string) => TokensList {
  class BoundedLexer extends Base {
    override inline(text: string, tokens: Token[] = []): Token[] {
      if (!LONG_WORD.test(text)) return super.inline(text, tokens)
      tokens.push({ type: 'text', raw: text, text, escaped: false })
      return tokens
    }
  }
  return text => new BoundedLexer().lex(text)
}

function makeTickable(content: DocumentFragment, tick: (at: number, count: number) => boolean): void {
  const boxes = content.querySelectorAll('input')
  boxes.forEach((box, at) => {
    box.disabled = false
    box.addEventListener('change', () => {
      if (!tick(at, boxes.length)) box.checked = !box.checked
    })
  })
}

/** Tries the marks in turn. A mark belongs to the task if changing it changes the tick of this task only. */
function withTicked(
  tasksOf: (text: string) => boolean[],
  text: string,
  { at, count }: { at: number; count: number },
): string | undefined {
  const tasks = tasksOf(text)
  if (tasks.length !== count) return undefined
  const wanted = tasks.map((isDone, task) => isDone !== (task === at)).join()
  // Every task before this one has a mark of its own.
  for (const { 0: mark, index } of [...text.matchAll(TASK)].slice(at, at + MOST_PASSED)) {
    const middle = index + mark.length - 2
    const changed = `${text.slice(0, middle)}${mark.endsWith('[ ]') ? 'x' : ' '}${text.slice(middle + 1)}`
    if (tasksOf(changed).join() === wanted) return changed
  }
  return undefined
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
    const words = [...(box.parentNode?.childNodes ?? [])].filter(({ nodeName }) => !/^[OU]L$/.test(nodeName))
    const name = words.map(({ textContent }) => textContent).join('')
    box.setAttribute('aria-label', name.trim() || 'Task')
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

/** Rendered Markdown. Falls back to the source text if rendering fails. @param props.onTick makes tasks tickable */
export function MarkdownView({ text, onTick }: { text: string; onTick?: OnTick | undefined }) {
  const latest = useRef(onTick)
  latest.current = onTick
  const box = useRef<HTMLDivElement>(null)
  const [hasFailed, setFailed] = useState(false)
  useEffect(() => {
    let isOld = false
    renderMarkdown(text, onTick && (tick => latest.current?.(tick) ?? false)).then(
      content => {
        if (!isOld && box.current) replaceWith(box.current, content)
      },
      error => {
        console.warn('The Markdown could not be rendered.', error)
        if (!isOld) setFailed(true)
      },
    )
    return () => {
      isOld = true
    }
  }, [text])
  if (hasFailed) return html`<pre class="wrap"><${Words} text=${text} mayShowAll /></pre>`
  return html`<div ref=${box} class="markdown"></div>`
}

/** Keeps the focus on the task that was ticked. */
function replaceWith(box: HTMLElement, content: DocumentFragment): void {
  const at = [...box.querySelectorAll<Element>('input')].indexOf(document.activeElement ?? box)
  box.replaceChildren(content)
  if (at !== -1) box.querySelectorAll('input')[at]?.focus()
}
