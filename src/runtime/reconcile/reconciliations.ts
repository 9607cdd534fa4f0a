import type { Ledger } from '../../ledger/ledger.js'
import { AppError } from '../../model/app-error.js'
import type {
  HookReport,
  ListedHook,
  ReconcileProgress,
  ReconcileRequest,
  ReconcileResult,
} from '../../model/platforms/reconciliation.js'
import { SerialQueue } from '../../model/serial-queue.js'
import type { WebhookAdapter, WebhookDelivery } from '../../platforms/adapter.js'
import { adapterOf } from '../../platforms/adapters.js'
import {
  type AcceptedDelivery,
  acceptDelivery,
  type DeliveryRules,
} from '../../platforms/deliveries/accept-delivery.js'
import { openDeliveriesList } from '../../platforms/deliveries-lists/open-list.js'
import { HookMemory } from './hook-run.js'
import { reconcileHook } from './reconcile-hook.js'
import type { RunOutcome } from './stored-reports.js'

/** Accepting a larger delivery on this thread would delay other requests. */
const LARGE_BYTES = 256 * 1024

const DEFECT = { code: 'internal', message: 'The program failed; its log has the reason.' }

export interface ReconcileCall {
  signal?: AbortSignal | undefined
  onProgress?: ((progress: ReconcileProgress) => void) | undefined
  /** Memories by the address of the hook. */
  memory?: Map<string, HookMemory>
}

export interface ReconciliationsParts {
  /** Stores the outcome of a run. A failure to store it does not affect the run. */
  keep?: (request: ReconcileRequest, outcome: RunOutcome) => Promise<void>
  ledger: Pick<Ledger, 'query' | 'record' | 'knows'>
  /** Epoch milliseconds. */
  now: () => number
  /** @throws the signal's reason once it is aborted */
  sleep: (milliseconds: number, signal: AbortSignal | undefined) => Promise<unknown>
  /** Whether a server receives deliveries that a platform sends again. */
  receives: boolean
  /** Accepts a delivery on another thread. Absent: on this one. */
  acceptLarge?: (
    adapter: WebhookAdapter<string>,
    delivery: WebhookDelivery,
    rules: DeliveryRules,
  ) => Promise<AcceptedDelivery>
}

/** Compares what platforms have delivered with the ledger of this process, for commands and for the schedule. */
export class Reconciliations {
  readonly #queue = new SerialQueue()

  constructor(private readonly parts: ReconciliationsParts) {}

  /**
   * Compares one hook after the other. Other runs wait for it. Failures of a platform are part of the result.
   *
   * @throws AppError of the ledger; the signal's reason once it is aborted
   */
  run(request: ReconcileRequest, call: ReconcileCall = {}): Promise<ReconcileResult> {
    return this.#queue.run(() => this.#runAndKeep(request, call))
  }

  async #runAndKeep(request: ReconcileRequest, call: ReconcileCall): Promise<ReconcileResult> {
    const { keep } = this.parts
    try {
      const result = await this.#run(request, call)
      await keep?.(request, result)
      return result
    } catch (error) {
      // A run that was stopped has found nothing, and another one may have begun.
      if (!call.signal?.aborted) await keep?.(request, { problem: error instanceof AppError ? error : DEFECT })
      throw error
    }
  }

  async #run({ hooks, dry_run, since_seconds }: ReconcileRequest, call: ReconcileCall): Promise<ReconcileResult> {
    const reports: HookReport[] = []
    for (const hook of hooks) {
      call.signal?.throwIfAborted()
      reports.push(await this.#reconcile(hook, { isDryRun: dry_run, sinceSeconds: since_seconds }, call))
    }
    return { dry_run, hooks: reports }
  }

  async #reconcile(
    hook: ListedHook,
    wanted: { isDryRun: boolean; sinceSeconds: number },
    { signal, onProgress, memory }: ReconcileCall,
  ): Promise<HookReport> {
    const { url } = hook
    const { ledger, now, sleep, receives } = this.parts
    let listed = 0
    const list = openDeliveriesList(hook, {
      now,
      sleep,
      onWait: seconds => onProgress?.({ url, listed, waiting_seconds: seconds }),
    })
    const adapter = adapterOf(hook.source)
    try {
      return await reconcileHook(hook, {
        ledger,
        list,
        now,
        sleep,
        receives,
        signal,
        ...wanted,
        accept: (delivery, rules) => this.#accept(adapter, delivery, rules),
        memory: memory && memoryOf(memory, url),
        onListed: count => {
          listed = count
          onProgress?.({ url, listed })
        },
      })
    } finally {
      list.api.close()
    }
  }

  async #accept(adapter: WebhookAdapter<string>, delivery: WebhookDelivery, rules: DeliveryRules) {
    const { acceptLarge } = this.parts
    const isLarge = delivery.body.byteLength > LARGE_BYTES
    return isLarge && acceptLarge ? acceptLarge(adapter, delivery, rules) : acceptDelivery(adapter, delivery, rules)
  }
}

function memoryOf(memories: Map<string, HookMemory>, url: string): HookMemory {
  const found = memories.get(url) ?? new HookMemory()
  memories.set(url, found)
  return found
}
