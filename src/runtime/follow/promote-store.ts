import { randomUUID } from 'node:crypto'
import type { PromotedLedger, PromotionInput } from '../../model/follow.js'
import { type Micros, toTimestamp } from '../../model/timestamp.js'
import type { Store } from '../../store/store.js'
import { refuseWhileAnswering } from './leader.js'

interface PromotionOptions extends PromotionInput {
  leader: string
  now: Micros
  stopCopying: () => Promise<void>
}

/**
 * Makes a ledger that follows another one a ledger of its own.
 *
 * @throws AppError `conflict/leader_answers`, `conflict/follower_behind`, `conflict/not_following`
 */
export async function promoteStore(
  { copies }: Pick<Store, 'copies'>,
  { leader, keep_epoch, force, now, stopCopying }: PromotionOptions,
): Promise<PromotedLedger> {
  // Two ledgers of one epoch could not be distinguished.
  if (keep_epoch || !force) await refuseWhileAnswering(leader)
  await stopCopying()
  const { epoch, head, consumers } = await copies.promote({ epoch: keep_epoch ? null : randomUUID(), now })
  const newest = { head: head && toTimestamp(head.capturedAt), head_digest: head?.digest ?? null }
  return { leader, epoch, ...newest, consumers }
}
