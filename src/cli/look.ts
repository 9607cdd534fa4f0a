import kleur, { type Kleur } from 'kleur'

/** How to write for a terminal: in which colours, how wide. */
export interface Look {
  paint: Kleur
  columns: number
}

export function createLook({ colour, columns }: { colour: boolean; columns: number }): Look {
  kleur.enabled = colour
  return { paint: kleur, columns }
}
