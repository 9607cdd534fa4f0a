import kleur, { type Kleur } from 'kleur'

/** How to render for a terminal: colours, width, and the zone of times. */
export interface TerminalStyle {
  paint: Kleur
  columns: number
  /** Whether times are in this machine's zone, rather than UTC. */
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
