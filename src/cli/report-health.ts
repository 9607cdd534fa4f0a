import type { LedgerCaller, LedgerFlags } from './ledger-caller.js'

/** What `api health` does, under the framework or without it. */
export async function reportHealth(caller: LedgerCaller, flags: LedgerFlags): Promise<void> {
  const answer = await caller.client(flags).health()
  await caller.show(answer, flags, async () => (await import('./health-card.js')).healthCard)
  if (answer.status === 503) process.exitCode = (await import('./exit-codes.js')).EXIT_TRY_AGAIN
}
