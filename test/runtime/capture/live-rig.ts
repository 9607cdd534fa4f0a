import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'
import type { StoredEvent } from '../../../src/model/events/event.js'
import { LiveCapture, type LiveCaptureParts } from '../../../src/runtime/capture/live/live-capture.js'
import type { ChatServerOptions } from '../../support/chat-server/chat-server.js'
import { until } from '../../support/until.js'
import { allEvents, type CaptureRig, captureRig } from './capture-rig.js'

export interface LiveRig extends CaptureRig {
  live: LiveCapture
  log: [level: string, about: Record<string, unknown>, text: string][]
  /** Another reader, as after a restart of the program. */
  restart(): LiveCapture
  /** Waits until this number of events of these kinds is recorded. @returns all events, oldest first */
  recorded(count: number, kinds?: RegExp): Promise<StoredEvent[]>
  isLive(): Promise<void>
}

/** A ledger with the watch `deploys`, whose chat server's queue is read. */
export async function liveRig(t: Test, options: ChatServerOptions = {}, before?: (rig: CaptureRig) => unknown) {
  const rig = await captureRig(t, options)
  await before?.(rig)
  const log: LiveRig['log'] = []
  const write = (level: string) => (about: Record<string, unknown>, text: string) => void log.push([level, about, text])
  const logger = { info: write('info'), warn: write('warn'), error: write('error') }
  const begin = () => {
    const live = new LiveCapture({
      ledger: rig.ledger,
      captures: rig.captures,
      chat: rig.request().chat,
      clock: () => rig.clock.now,
      logger: logger as unknown as LiveCaptureParts['logger'],
      random: () => 0,
    })
    t.teardown(() => live.stop())
    return live
  }
  const recorded = async (count: number, kinds = /./) => {
    for (;;) {
      const events = (await allEvents(rig.ledger)).filter(({ kind }) => kinds.test(kind))
      if (events.length >= count) return events
      await sleep(20)
    }
  }
  const started: LiveRig = {
    ...rig,
    live: begin(),
    log,
    recorded,
    restart: () => {
      started.live = begin()
      return started.live
    },
    isLive: () => until(() => started.live.status().state === 'live' && rig.chat.queues.waiting === 1),
  }
  await started.isLive()
  return started
}
