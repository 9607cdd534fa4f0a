import { useState } from 'preact/hooks'
import { announce } from '../announce.js'
import { classes, html } from '../html.js'
import { Glyph, type GlyphName } from './glyph.js'
import { showToast } from './toast.js'

const SHOWN_MS = 2_000

/** Copies text to the clipboard and announces it. @returns whether the browser allowed it */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // The clipboard is only available in secure contexts.
    announce('The browser blocked copying. Select the text and copy it manually.')
    return false
  }
  announce('Copied')
  return true
}

/** Copies for a menu or a shortcut, which has no button to show the outcome. @param words shown if it is copied */
export async function copyWithToast(text: string, words: string): Promise<void> {
  showToast({ words: (await copyText(text)) ? words : 'The browser blocked copying.', seconds: 4 })
}

interface CopyButtonProps {
  /** Called when pressed; returns the text to copy. */
  text: () => string
  label: string
  glyph?: GlyphName
  class?: string
  /** Shows only the glyph. */
  isBare?: boolean
  onCopied?: () => void
}

/** A button that copies a text, and shows the outcome for two seconds. */
export function CopyButton({ text, label, glyph = 'copy', class: more, isBare, onCopied }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<string | undefined>(undefined)
  const copy = async () => {
    const isCopied = await copyText(text())
    if (isCopied) onCopied?.()
    setOutcome(isCopied ? 'Copied' : 'Not copied')
    window.setTimeout(() => setOutcome(undefined), SHOWN_MS)
  }
  const shown = outcome ?? label
  return html`<button type="button" class=${classes('button', isBare && 'icon', more)} onClick=${copy}
    aria-label=${isBare ? shown : undefined} title=${isBare ? shown : undefined}>
    <${Glyph} name=${outcome === 'Copied' ? 'check' : glyph} />${!isBare && shown}
  </button>`
}
