import type { LedgerApiContext, LedgerFlags } from './ledger-api-context.js'

/** The action of `api health`, with or without the framework. */
export async function reportHealth(context: LedgerApiContext, flags: LedgerFlags): Promise<void> {
  const answer = await context.client(flags).health()
  await context.show(answer, flags, async () => (await import('./health-card.js')).healthCard)
  if (answer.status === 503) process.exitCode = (await import('./exit-codes.js')).EXIT_TRY_AGAIN
}
