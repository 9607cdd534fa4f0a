import kleur, { type Kleur } from 'kleur'

/** How to write to a terminal: colours and width. */
export interface TerminalStyle {
  paint: Kleur
  columns: number
}

export function createTerminalStyle({ colour, columns }: { colour: boolean; columns: number }): TerminalStyle {
  kleur.enabled = colour
  return { paint: kleur, columns }
}
