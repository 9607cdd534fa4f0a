/** A metric whose values are kept elsewhere, and read together with the other metrics. */
export interface Figure {
  type: 'gauge' | 'counter'
  name: string
  help: string
  /** All with the same labels. */
  values: readonly { labels?: Readonly<Record<string, string>>; value: number }[]
}

/** A figure without labels. */
export function figure(name: string, help: string, value: number): Figure {
  return { type: 'gauge', name, help, values: [{ value }] }
}

/** A figure by the values of one label. */
export function figureBy(
  label: string,
  values: Iterable<readonly [string, number]>,
  { type = 'gauge', name, help }: Pick<Figure, 'name' | 'help'> & Partial<Pick<Figure, 'type'>>,
): Figure {
  return { type, name, help, values: Array.from(values, ([word, value]) => ({ labels: { [label]: word }, value })) }
}
