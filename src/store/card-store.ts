import type { Card } from '../model/board/card.js'

export interface CardFilter {
  column?: string
  label?: string
  assignee?: string
  /** One of its links. */
  link?: string
}

export interface CardPage {
  items: Card[]
  /** `after` of the next page; null at the end. */
  next: number | null
}

/** What changes of a card. `position`: which place in its column it gets, from 0; beyond the end is the end. */
export type CardChanges = Partial<Omit<Card, 'id' | 'rank' | 'version' | 'created_at' | 'updated_at'>> & {
  position?: number
}

/** Rows of cards. */
export interface CardStore {
  /** In the order in which they were made. */
  list(filter: CardFilter, page: { limit: number; after: number }): Promise<CardPage>
  find(id: string): Promise<Card | undefined>
  count(): Promise<number>
  /** At the end of its column unless `position` says. @throws AppError `conflict/board_full` beyond `max` cards */
  create(card: Omit<Card, 'rank' | 'version'>, options: { position?: number; max: number }): Promise<Card>
  /**
   * Compares and changes in one transaction.
   *
   * @param version whichever it is when absent
   * @returns the card as it is then; `undefined` where there is none
   * @throws AppError `outdated/version_conflict`
   */
  update(id: string, changes: CardChanges, options: { version?: number; updatedAt: string }): Promise<Card | undefined>
  /** @returns whether there was one @throws AppError `outdated/version_conflict` */
  delete(id: string, options: { version?: number }): Promise<boolean>
}
