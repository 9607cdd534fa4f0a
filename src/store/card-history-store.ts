import type { CardHistoryEntry } from '../model/board/card-history.js'

/**
 * The actions on each card, and who performed them. The stores of cards and runs add the entries, in the transaction of
 * the action itself. An action that changed nothing adds no entry.
 */
export interface CardHistoryStore {
  /**
   * Lists entries newest first, also those of a deleted card.
   *
   * @param page `after`: `next` of the previous page
   */
  list(
    card: string,
    page: { limit: number; after: number | null },
  ): Promise<{ items: CardHistoryEntry[]; next: number | null }>
}
