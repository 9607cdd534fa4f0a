/** Sources with their own colour, from bottom to top, then all others together. */
export const STACK = ['chat', 'code-a', 'code-b', 'forum', 'other'] as const
export type StackStyle = (typeof STACK)[number]

export interface HistogramColours {
  bands: Readonly<Record<StackStyle, string>>
  grid: string
  label: string
  /** CSS font for the canvas. */
  font: string
}

/**
 * Colours from the style sheets, for a canvas, which has no custom properties.
 *
 * @param box contains a `.histogram-probe` for each colour
 */
export function readColours(box: HTMLElement): HistogramColours {
  const colourOf = (name: string) => {
    const probe = box.querySelector(`.histogram-probe.${name}`)
    return probe ? getComputedStyle(probe).color : 'gray'
  }
  const { fontSize, fontFamily } = getComputedStyle(box)
  const bands = STACK.map(style => [style, colourOf(`source-${style}`)] as const)
  return {
    bands: Object.fromEntries(bands) as Record<StackStyle, string>,
    grid: colourOf('is-grid'),
    label: colourOf('is-label'),
    font: `${fontSize} ${fontFamily}`,
  }
}
