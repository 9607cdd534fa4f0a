/** A metric whose values are kept elsewhere, and read together with the other metrics. */
export interface Metric {
  type: 'gauge' | 'counter'
  name: string
  help: string
  /** All with the same labels. */
  values: readonly { labels?: Readonly<Record<string, string>>; value: number }[]
}

/** A metric without labels. */
export function metric(name: string, help: string, value: number): Metric {
  return { type: 'gauge', name, help, values: [{ value }] }
}

/** A metric by the values of one label. */
export function metricBy(
  label: string,
  values: Iterable<readonly [string, number]>,
  { type = 'gauge', name, help }: Pick<Metric, 'name' | 'help'> & Partial<Pick<Metric, 'type'>>,
): Metric {
  return { type, name, help, values: Array.from(values, ([word, value]) => ({ labels: { [label]: word }, value })) }
}
