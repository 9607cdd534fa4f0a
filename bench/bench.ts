import type { LargeLedger } from './large-ledger.js'
import type { BenchOptions } from './options.js'
import type { Workspace } from './workspace.js'

/** Services that every measurement receives. */
export interface Bench {
  options: BenchOptions
  workspace: Workspace
  largeLedger: LargeLedger
  /** Shows the user which measurement is running. */
  progress(text: string): void
  /** Rates of single posts by number of connections, as far as they were measured in this run. */
  postRates: Map<number, number>
}
