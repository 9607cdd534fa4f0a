import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Company } from '../../demo/company.js'
import type { Random } from '../../demo/random.js'
import type { Step } from '../../demo/stories/story.js'
import type { Ledger } from '../../ledger/ledger.js'
import { AppError } from '../../model/app-error.js'
import type { Micros } from '../../model/timestamp.js'
import { type DemoLedger, recordStep } from './fill-demo.js'

export interface DemoTrickleParts {
  company: Company
  ledger: DemoLedger & Pick<Ledger, 'getSubscription'>
  logger: Pick<Logger, 'warn'>
  /** Wall clock in microseconds. */
  clock: () => Micros
  random: Random
}

/** Milliseconds between two events. */
const PAUSE = { least: 2_000, most: 8_000 } as const

/** Adds a step to the story of a demo every few seconds, until it is stopped. */
export class DemoTrickle {
  readonly #stop = new AbortController()
  readonly #ended: Promise<void>

  /** Starts immediately. */
  constructor(private readonly parts: DemoTrickleParts) {
    this.#ended = this.#work()
  }

  /** Finishes the current step. */
  async stop(): Promise<void> {
    this.#stop.abort()
    await this.#ended
  }

  async #work(): Promise<void> {
    const { company, ledger, logger, clock, random } = this.parts
    const { signal } = this.#stop
    while (!signal.aborted) {
      try {
        for (const step of company.nextSteps(clock())) if (await this.#isWanted(step)) await recordStep(ledger, step)
      } catch (error) {
        logger.warn({ err: error }, 'the demo could not add a step')
      }
      const pauseMs = random.integer(PAUSE.least, PAUSE.most)
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined) // aborted by `stop`
    }
  }

  /** A watch that a visitor has disabled or deleted is skipped. */
  async #isWanted(step: Step): Promise<boolean> {
    if (step.does !== 'capture' && step.does !== 'note') return true
    try {
      return (await this.parts.ledger.getSubscription(step.id)).enabled
    } catch (error) {
      if (error instanceof AppError && error.category === 'not_found') return false
      throw error
    }
  }
}
