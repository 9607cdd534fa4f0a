import { useState } from 'preact/hooks'
import { announce } from './announce.js'
import { Glyph, type GlyphName } from './glyph.js'
import { classes, html } from './html.js'

const SHOWN_MS = 2_000

/** Puts text on the clipboard and says so. @returns whether the browser let it */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
  } catch {
    // Not every address may use the clipboard: plain HTTP from elsewhere may not.
    announce('The browser does not let this page copy. Select the text and copy it by hand.')
    return false
  }
  announce('Copied')
  return true
}

export interface CopyButtonProps {
  /** What is copied, made when it is pressed. */
  text: () => string
  /** `Copy token` */
  label: string
  glyph?: GlyphName
  class?: string
  /** Only the glyph is seen. */
  isBare?: boolean
}

/** The button says for two seconds how it went. */
export function CopyButton({ text, label, glyph = 'copy', class: more, isBare }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<string | undefined>(undefined)
  const copy = async () => {
    setOutcome((await copyText(text())) ? 'Copied' : 'Not copied')
    window.setTimeout(() => setOutcome(undefined), SHOWN_MS)
  }
  const shown = outcome ?? label
  return html`<button type="button" class=${classes('button', isBare && 'icon', more)} onClick=${copy}
    aria-label=${isBare ? shown : undefined} title=${isBare ? shown : undefined}>
    <${Glyph} name=${outcome === 'Copied' ? 'check' : glyph} />${!isBare && shown}
  </button>`
}
