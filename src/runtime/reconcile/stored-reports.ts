import {
  type Comparison,
  type HookReport,
  type ListedHook,
  RECONCILE_LIMITS,
  type ReconcileProgress,
  type ReconcileRequest,
  type ReconcileStatus,
  SOURCES_WITH_DELIVERY_LIST,
} from '../../model/platforms/reconciliation.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'
import type { NoteStore } from '../../store/note-store.js'

/** Lease of the server that compares: servers that share a ledger take turns. */
export const RECONCILE_LEASE = 'reconcile'
const RUNNING = { kind: 'running_comparison', name: 'all' } as const
const ANNOUNCE_MS = 2_000
/** Maximum number of deliveries that the reports of one source name together. */
const MOST_NAMED = 20 * RECONCILE_LIMITS.named

type Running = NonNullable<ReconcileStatus['running']>

/** The result of a run, or the reason why it failed as a whole. */
export type RunOutcome = { hooks: readonly HookReport[] } | { problem: { code: string; message: string } }

/**
 * Stores the last comparison with the lists of each platform, and the one in progress, for all servers of a ledger.
 *
 * Source: docs/decisions/0087.
 */
export class StoredReports {
  /** @param leases of servers that share a ledger */
  constructor(
    private readonly notes: NoteStore,
    private readonly leases?: Pick<MultiServerStore, 'isLeaseHeld'>,
  ) {}

  /** @param at when it ended */
  async save({ hooks, dry_run, since_seconds }: ReconcileRequest, outcome: RunOutcome, at: string): Promise<void> {
    const sources = SOURCES_WITH_DELIVERY_LIST.filter(source => hooks.some(hook => hook.source === source))
    for (const source of sources) {
      const found = 'hooks' in outcome ? outcome.hooks.filter(report => report.source === source) : []
      const named = Math.min(RECONCILE_LIMITS.named, Math.ceil(MOST_NAMED / Math.max(1, found.length)))
      const reports = found.map(({ error, lost, ...report }) => ({
        ...report,
        lost: lost.slice(0, named),
        ...(error ? { error: shownProblem(error) } : {}),
      }))
      const problem = 'problem' in outcome ? { problem: shownProblem(outcome.problem) } : {}
      const comparison: Comparison = { at, dry_run, since_seconds, hooks: reports, ...problem }
      await this.notes.save({ kind: 'comparison', name: source, body: JSON.stringify(comparison) })
    }
  }

  /** Lets the other servers show the work in progress. @param running updated with the progress */
  async announce<Result>(running: Running, work: () => Promise<Result>): Promise<Result> {
    // The work continues even if this write fails.
    const save = () => this.notes.save({ ...RUNNING, body: JSON.stringify(running) }).catch(() => false)
    let saved = save()
    const timer = setInterval(() => {
      saved = saved.then(save)
    }, ANNOUNCE_MS)
    try {
      return await work()
    } finally {
      clearInterval(timer)
      await saved
      await this.notes.delete(RUNNING.kind, RUNNING.name).catch(() => false)
    }
  }

  /** @param own hooks that this server compares, and its run in progress */
  async status(own: { hooks: readonly ListedHook[]; running: Running | null }): Promise<ReconcileStatus> {
    const [notes, running] = await Promise.all([this.notes.list('comparison'), own.running ?? this.#findRunning()])
    const reports = SOURCES_WITH_DELIVERY_LIST.flatMap(source => {
      const note = notes.find(({ name }) => name === source)
      return note ? { source, ...(JSON.parse(note.body) as Comparison) } : []
    })
    return { hooks: own.hooks.map(({ source, url }) => ({ source, url })), running, last: lastRun(reports), reports }
  }

  /** A killed server leaves its note, so a run counts as over when its lease has ended. */
  async #findRunning(): Promise<Running | null> {
    const note = this.leases && (await this.notes.find(RUNNING.kind, RUNNING.name))
    return note && (await this.leases?.isLeaseHeld(RECONCILE_LEASE)) ? JSON.parse(note.body) : null
  }
}

/** A run whose progress is shown. @param since when it began */
export function beginRun(
  dry_run: boolean,
  since: string,
): { running: Running; note: (progress: ReconcileProgress) => void } {
  const running = { since, dry_run, listed: 0 }
  const listed = new Map<string, number>()
  const note = (progress: ReconcileProgress) => {
    listed.set(progress.url, progress.listed)
    running.listed = [...listed.values()].reduce((sum, count) => sum + count)
  }
  return { running, note }
}

/** A run over several sources leaves one report for each, all with the same instant. */
function lastRun(reports: ReconcileStatus['reports']): Comparison | null {
  const [newest] = reports.toSorted((left, right) => (left.at < right.at ? 1 : -1))
  if (!newest) return null
  const { source: _, ...run } = newest
  return { ...run, hooks: reports.filter(({ at }) => at === newest.at).flatMap(({ hooks }) => hooks) }
}

function shownProblem({ code, message }: { code: string; message: string }): { code: string; detail: string } {
  return { code, detail: message }
}
