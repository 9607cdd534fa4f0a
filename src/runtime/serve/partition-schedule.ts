import type { Logger } from 'pino'
import { AppError } from '../../model/app-error.js'
import type { MultiServerStore } from '../../store/multi-server-store.js'

const EVERY_MS = 6 * 60 * 60 * 1_000

/**
 * Makes the partitions of the coming months, now and several times a day. Events of a month without its own partition
 * go to the default partition. The larger that is, the longer a new partition takes: PostgreSQL reads all of it, while
 * readers and writers wait.
 *
 * @returns stops the schedule
 */
export function schedulePartitions(
  multiServer: Pick<MultiServerStore, 'makePartitions' | 'now'>,
  logger: Pick<Logger, 'info' | 'warn' | 'error'>,
): () => void {
  let warnedOf: string | undefined
  const make = async () => {
    try {
      const made = await multiServer.makePartitions(multiServer.now())
      if (made.length > 0) logger.info({ made }, 'made partitions of coming months')
      warnedOf = undefined
    } catch (error) {
      const code = error instanceof AppError ? error.code : String(error)
      if (warnedOf === code) return
      warnedOf = code
      const message = 'the partitions of coming months cannot be made'
      if (error instanceof AppError) logger.warn({ code, detail: error.message }, message)
      else logger.error({ err: error }, message)
    }
  }
  const timer = setInterval(() => void make(), EVERY_MS)
  timer.unref()
  void make()
  return () => clearInterval(timer)
}
