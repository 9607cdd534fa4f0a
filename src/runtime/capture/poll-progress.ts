import { type Micros, toTimestamp } from '../../model/timestamp.js'
import { isProgress, type ListProgress, type StreamProgress } from '../history/history-checkpoint.js'

/** How far a poll has read the lists of a place. If a limit ends the poll, the next one continues. */
export class PollProgress implements ListProgress {
  readonly #lists: Map<string, StreamProgress>
  #until: string | undefined

  private constructor(
    private readonly place: string,
    /** Events from this instant on are read. RFC 3339 in UTC, six digits. */
    readonly since: string,
    before: { until?: string; lists?: [string, StreamProgress][] } = {},
  ) {
    this.#until = before.until
    this.#lists = new Map(before.lists)
  }

  /** @param kept progress of an earlier poll; ignored if it is of another place or release */
  static read(kept: unknown, { place, since }: { place: string; since: string }): PollProgress {
    const { place: keptPlace, since: keptSince, until, lists } = membersOf(kept)
    const isKept = keptPlace === place && typeof keptSince === 'string' && typeof until === 'string'
    if (!isKept) return new PollProgress(place, since)
    const known = Object.entries(membersOf(lists)).flatMap(([name, progress]): [string, StreamProgress][] =>
      isProgress(progress) ? [[name, progress]] : [],
    )
    return new PollProgress(place, keptSince, { until, lists: known })
  }

  /**
   * A complete poll has read everything before this instant. @param now of the platform; a continued poll ignores it
   */
  begin(now: Micros): void {
    this.#until ??= toTimestamp(Math.floor(now))
  }

  get until(): string {
    return this.#until ?? this.since
  }

  of(stream: string): StreamProgress | undefined {
    return this.#lists.get(stream)
  }

  async save(stream: string, progress: StreamProgress): Promise<void> {
    this.#lists.set(stream, progress)
  }

  isDone(stream: string): boolean {
    const progress = this.#lists.get(stream)
    return progress !== undefined && 'isDone' in progress
  }

  toJson(): Record<string, unknown> {
    const { place, since, until } = this
    return { place, since, until, lists: Object.fromEntries(this.#lists) }
  }
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}
