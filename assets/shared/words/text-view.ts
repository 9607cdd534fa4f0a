import { useState } from 'preact/hooks'
import { html } from '../html.js'
import { bytes, shownText, TEXT_LIMIT, type TextOptions, type TextPiece } from './text.js'

interface WordsProps extends TextOptions {
  text: string
  mayShowAll?: boolean
}

/**
 * Foreign text: isolated direction, invisible characters shown as tags, matches highlighted, at most 4 KB of it.
 */
export function Words({ text, mayShowAll = false, ...options }: WordsProps) {
  const [isWhole, setWhole] = useState(false)
  const { pieces, isCutBefore, isCutAfter } = shownText(text, isWhole ? { ...options, limit: text.length } : options)
  const more = isCutAfter && mayShowAll
  return html`<bdi>${isCutBefore && '…'}${pieces.map(toNode)}${isCutAfter && '…'}</bdi>${
    more &&
    html`<p class="hint">
      ${bytes(text.length)} of text, first ${bytes(options.limit ?? TEXT_LIMIT)} shown.${' '}
      <button type="button" class="link" onClick=${() => setWhole(true)}>Show all</button>
    </p>`
  }`
}

function toNode(piece: TextPiece) {
  if (piece.kind === 'tag') return html`<span class="tag mark-name">${piece.name}</span>`
  return piece.isMatch ? html`<mark>${piece.text}</mark>` : piece.text
}
