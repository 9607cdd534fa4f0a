/** The colours of a login page. */
export const LOGIN_PALETTES = ['indigo', 'forest', 'amber'] as const
export type LoginPalette = (typeof LOGIN_PALETTES)[number]

/** `card`: one card in the middle. `split`: a ruled page on the left; where there is no room for two pages, the card. */
export const LOGIN_LAYOUTS = ['card', 'split'] as const
export type LoginLayout = (typeof LOGIN_LAYOUTS)[number]

/** `system`: as the reader's system has it. */
export const LOGIN_APPEARANCES = ['system', 'light', 'dark'] as const
export type LoginAppearance = (typeof LOGIN_APPEARANCES)[number]

/** How a login page looks. Source: Board Access Gate, `BOARD_LOGIN_PALETTE`, `_LAYOUT` and `_APPEARANCE`. */
export interface LoginLook {
  palette: LoginPalette
  layout: LoginLayout
  appearance: LoginAppearance
}
