import { AppError } from '../model/app-error.js'
import { coalesceCalls } from '../model/coalesce-calls.js'
import type { NewEvent } from '../model/events/event.js'
import { SerialQueue } from '../model/serial-queue.js'
import {
  type CaptureState,
  SUBSCRIPTION_LIMITS,
  type Subscription,
  type SubscriptionPage,
} from '../model/subscriptions/subscription.js'
import type { SubscriptionPreview } from '../model/subscriptions/subscription-preview.js'
import { type Micros, toTimestamp } from '../model/timestamp.js'
import { StaleMatches, type SubscriptionMatch } from '../store/event-store.js'
import type { Store } from '../store/store.js'
import type { MaintainedMember } from '../store/subscription-store.js'
import { foreignSubscription, type LedgerCaller, mayChange } from './ledger-caller.js'
import { completeForms, readSubscription } from './read-subscription.js'
import { SubscriptionMatcher } from './subscription-matcher.js'
import { previewSubscription } from './subscription-preview.js'
import { isPolled, withCapture } from './watch-times.js'

export interface SubscriptionOptions {
  store: Pick<Store, 'events' | 'subscriptions' | 'multiServer'>
  /** Wall clock in microseconds. */
  clock: () => Micros
  /** A fresh identifier for a subscription. */
  newSubscriptionId: () => string
  /** How many subscriptions an owner may have, and how many may have no owner; `SUBSCRIPTION_LIMITS.perOwner` when absent. */
  maxSubscriptions?: number | undefined
}

/** How often a change is tried that other servers overtake. */
const MOST_ATTEMPTS = 20
/** Id of a subscription that is not going to be stored. */
const DRAFT_ID = 'draft'
const MOVED_BY_EVENTS = ['last_cursor', 'last_event_at'] as const satisfies readonly MaintainedMember[]

/** The subscriptions of a ledger: who may see and change which, and which events they match. */
export class Subscriptions {
  /** Subscriptions that were incomplete or damaged when the ledger was opened. */
  readonly withProblems: Subscription[] = []
  #matcher = new SubscriptionMatcher()
  /** Ids of the watches that capture polls. */
  readonly #polled = new Set<string>()
  /** Version of the subscriptions in memory; undefined where only this process can change them. */
  #version: number | undefined
  readonly #readChanges = coalesceCalls(() => this.#queue.run(() => this.#applyChanges()))
  /** A save merges stored and sent values, so each change waits for the one before it. */
  readonly #queue = new SerialQueue()

  private constructor(private readonly options: SubscriptionOptions) {}

  static async open(options: SubscriptionOptions): Promise<Subscriptions> {
    const opened = new Subscriptions(options)
    const { subscriptions } = options.store
    const incomplete: Subscription[] = []
    const { multiServer } = options.store
    const all = multiServer ? await multiServer.subscriptionChanges(undefined) : undefined
    opened.#version = all?.version
    for (const stored of all?.saved ?? (await subscriptions.list())) {
      if (stored.problem !== undefined) opened.withProblems.push(stored)
      // A subscription that could not be read completely is not written back.
      const subscription = stored.problem === undefined ? completeForms(stored) : stored
      if (subscription !== stored) incomplete.push(subscription)
      opened.#watch(subscription)
    }
    for (const subscription of incomplete) await subscriptions.save(subscription)
    return opened
  }

  /** Read it before events are matched. */
  get version(): number | undefined {
    return this.#version
  }

  /** Reads the changes by other servers. */
  refresh(): Promise<void> {
    return this.#readChanges()
  }

  match(event: NewEvent, now: Micros): SubscriptionMatch[] {
    return this.#matcher.match(event, now)
  }

  /**
   * Creates a subscription, or merges into the one with the same id.
   *
   * @throws AppError `forbidden/forbidden` for another member's, `invalid/invalid_field`, `invalid/invalid_timestamp`,
   *   `conflict/too_many_subscriptions` above the owner's limit
   */
  save(input: unknown, caller: LedgerCaller): Promise<{ created: boolean; subscription: Subscription }> {
    return this.#queue.run(() => this.#save(input, caller))
  }

  /**
   * The events of the last days that a subscription would have matched, if it were saved as sent. Stores nothing.
   *
   * @throws AppError as `save`
   */
  async preview(input: unknown, caller: LedgerCaller, signal?: AbortSignal): Promise<SubscriptionPreview> {
    const { store, clock } = this.options
    const { subscription } = await this.#readOver(input, caller, () => DRAFT_ID)
    return previewSubscription(store.events, subscription, clock(), signal)
  }

  /** @throws AppError `not_found/not_found`, also for another member's */
  async get(id: string, caller: LedgerCaller): Promise<Subscription> {
    return this.#served(await this.#getFor(caller, id))
  }

  /** Those that the caller may see. */
  async list(caller: LedgerCaller): Promise<Subscription[]> {
    const owner = caller.role === 'member' ? caller.userId : undefined
    const subscriptions = await this.options.store.subscriptions.list(owner)
    return subscriptions.map(subscription => this.#served(subscription))
  }

  /** One page of them, ordered by id, after the id `after`. */
  async page(
    caller: LedgerCaller,
    { after, limit }: { after?: string | undefined; limit: number },
  ): Promise<SubscriptionPage> {
    const found = await this.options.store.subscriptions.listPage({
      ...(caller.role === 'member' ? { owner: caller.userId } : {}),
      ...(after === undefined ? {} : { after }),
      limit: limit + 1,
    })
    const items = found.slice(0, limit).map(subscription => this.#served(subscription))
    return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null }
  }

  /** The watches that capture polls, in their current state. */
  async listPolled(): Promise<Subscription[]> {
    if (this.options.store.multiServer) await this.refresh()
    return this.#polled.size === 0 ? [] : this.options.store.subscriptions.listByIds([...this.#polled])
  }

  /** Its matched events stay. @throws AppError `not_found/not_found`, also for another member's */
  delete(id: string, caller: LedgerCaller): Promise<void> {
    return this.#queue.run(async () => {
      await this.#getFor(caller, id)
      await this.options.store.subscriptions.delete(id)
      this.#forget(id)
    })
  }

  /** Records the outcome of an attempt to capture a watch. @param cursor moves its `last_cursor` there */
  noteCapture(id: string, changes: CaptureState, cursor?: string): Promise<void> {
    return this.options.store.subscriptions.noteCapture(id, changes, cursor)
  }

  /** Updates the matcher from the stored state of a watch: capture may have found its place under a new name. */
  reload(id: string): Promise<void> {
    return this.#queue.run(async () => {
      const watch = await this.options.store.subscriptions.findById(id)
      if (watch) this.#watch(watch)
    })
  }

  /** Reloads the stored subscriptions, after a change that bypassed this class. */
  reloadAll(): Promise<void> {
    return this.#queue.run(async () => {
      const stored = await this.options.store.subscriptions.list()
      this.#matcher = new SubscriptionMatcher()
      this.#polled.clear()
      for (const subscription of stored) this.#watch(subscription)
    })
  }

  async #applyChanges(): Promise<void> {
    const changes = await this.options.store.multiServer?.subscriptionChanges(this.#version)
    if (!changes) return
    for (const id of changes.deleted) this.#forget(id)
    for (const subscription of changes.saved) this.#watch(subscription)
    this.#version = changes.version
  }

  async #getFor(caller: LedgerCaller, id: string): Promise<Subscription> {
    const subscription = await this.options.store.subscriptions.findById(id)
    if (!subscription || !mayChange(caller, subscription)) throw unknownSubscription()
    return subscription
  }

  async #save(input: unknown, caller: LedgerCaller) {
    for (let attempts = 1; ; attempts++) {
      try {
        return await this.#saveOver(input, caller)
      } catch (error) {
        // Another server has changed it since it was read.
        if (!(error instanceof StaleMatches)) throw error
        if (attempts === MOST_ATTEMPTS) throw changingTooFast(error)
      }
    }
  }

  async #saveOver(input: unknown, caller: LedgerCaller) {
    const { store, newSubscriptionId } = this.options
    const { subscription, stored } = await this.#readOver(input, caller, newSubscriptionId)
    if (stored?.owner_user_id !== subscription.owner_user_id) await this.#refuseFull(subscription.owner_user_id)
    // Events move these two concurrently, so only a value that was set takes precedence over the stored one.
    const set = MOVED_BY_EVENTS.filter(member => subscription[member] !== (stored?.[member] ?? null))
    const saved = await store.subscriptions.save(subscription, set, stored ?? null)
    this.#watch(saved.subscription)
    return { ...saved, subscription: this.#served(saved.subscription) }
  }

  /** Changes run one after the other, so nothing is added between this check and the save. */
  async #refuseFull(owner: string | null): Promise<void> {
    const { store, maxSubscriptions = SUBSCRIPTION_LIMITS.perOwner } = this.options
    if ((await store.subscriptions.count(owner)) < maxSubscriptions) return
    const whose = owner === null ? 'There are' : 'This user has'
    const message = `${whose} ${maxSubscriptions} subscriptions${owner === null ? ' without an owner' : ''}, and no more are allowed.`
    throw new AppError('conflict', 'too_many_subscriptions', message, {
      hint: 'Delete one that is no longer needed, or raise EVENT_MAX_SUBSCRIPTIONS.',
    })
  }

  /** Reads what was sent over what is stored under its id. */
  async #readOver(input: unknown, caller: LedgerCaller, newId: () => string) {
    const { store, clock } = this.options
    const sentId = idOf(input)
    const stored = sentId === undefined ? undefined : await store.subscriptions.findById(sentId)
    if (stored && !mayChange(caller, stored)) throw foreignSubscription()
    const id = sentId ?? newId()
    return { stored, subscription: readSubscription(input, stored, { id, now: toTimestamp(clock()), caller }) }
  }

  #watch(subscription: Subscription): void {
    this.#matcher.put(subscription)
    if (isPolled(subscription)) this.#polled.add(subscription.id)
    else this.#polled.delete(subscription.id)
  }

  #forget(id: string): void {
    this.#matcher.remove(id)
    this.#polled.delete(id)
  }

  #served(subscription: Subscription): Subscription {
    return withCapture(subscription, this.options.clock())
  }
}

function idOf(input: unknown): string | undefined {
  const id = typeof input === 'object' && input !== null ? Reflect.get(input, 'id') : undefined
  return typeof id === 'string' ? id : undefined
}

function changingTooFast(cause: StaleMatches): AppError {
  const message = 'Other servers change this subscription all the time.'
  return new AppError('unavailable', 'busy', message, { hint: 'Try again in a moment.', retryAfterSeconds: 1, cause })
}

function unknownSubscription(): AppError {
  return new AppError('not_found', 'not_found', 'There is no such subscription.', {
    hint: 'List them with `daybook api subscriptions`.',
  })
}
