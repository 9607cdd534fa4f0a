/** The colours of a login page. */
export const LOGIN_PALETTES = ['indigo', 'forest', 'amber'] as const
type LoginPalette = (typeof LOGIN_PALETTES)[number]

/** `card`: one card in the middle. `split`: a ruled page on the left, or the card if two pages do not fit. */
export const LOGIN_LAYOUTS = ['card', 'split'] as const
type LoginLayout = (typeof LOGIN_LAYOUTS)[number]

/** `system`: follows the reader's system. */
export const LOGIN_APPEARANCES = ['system', 'light', 'dark'] as const
type LoginAppearance = (typeof LOGIN_APPEARANCES)[number]

/** Appearance of a login page. Source: Board Access Gate, `BOARD_LOGIN_PALETTE`, `_LAYOUT` and `_APPEARANCE`. */
export interface LoginDesign {
  palette: LoginPalette
  layout: LoginLayout
  appearance: LoginAppearance
}
