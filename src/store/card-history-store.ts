import type { CardHistoryEntry } from '../model/board/card-history.js'

/**
 * What was done with each card, by whom. The stores of cards and runs add the entries, in the transaction of the action
 * itself. An action that changed nothing has none.
 */
export interface CardHistoryStore {
  /**
   * Newest first, also of a deleted card.
   *
   * @param page `after`: `next` of the page before
   */
  list(
    card: string,
    page: { limit: number; after: number | null },
  ): Promise<{ items: CardHistoryEntry[]; next: number | null }>
}
