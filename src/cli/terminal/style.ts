import kleur, { type Kleur } from 'kleur'

/** How to write to a terminal: colours, width, and the zone of times. */
export interface TerminalStyle {
  paint: Kleur
  columns: number
  /** Times are those of this machine's zone, and not UTC. */
  isLocalTime: boolean
}

export function createTerminalStyle({
  colour,
  columns,
  isLocalTime = false,
}: {
  colour: boolean
  columns: number
  isLocalTime?: boolean
}): TerminalStyle {
  kleur.enabled = colour
  return { paint: kleur, columns, isLocalTime }
}
