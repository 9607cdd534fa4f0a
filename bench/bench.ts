import type { LargeLedger } from './large-ledger.js'
import type { BenchOptions } from './options.js'
import type { Workspace } from './workspace.js'

/** What a measurement has at hand. */
export interface Bench {
  options: BenchOptions
  workspace: Workspace
  largeLedger: LargeLedger
  /** Tells the person who waits what is going on. */
  progress(text: string): void
  /** Rates of single posts by number of connections, as far as they were measured in this run. */
  postRates: Map<number, number>
}
