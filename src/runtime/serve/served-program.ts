import { readFileSync } from 'node:fs'
import { isIPv6 } from 'node:net'
import type { Logger } from 'pino'
import type { HttpApp } from '../../server/http/http-app.js'
import type { ListenSettings } from '../../settings/listen-settings.js'

/** Services that the programs of one process share. */
export interface SharedServices {
  logger: Logger
  requestIds: () => string
  /** Every request is logged at `info`. */
  accessLog: boolean
}

/** The address at which a program answers. */
export interface Listening {
  /** With its root path, such as `http://127.0.0.1:8765`. */
  url: string
  address: string
  port: number
}

/** A running program: the ledger or the board. */
export interface ServedProgram extends Listening {
  /** Rejects when its files are no longer ours, or can no longer be written. */
  failed: Promise<never>
  /** Stops accepting, finishes what was accepted and closes the files. */
  close(): Promise<void>
}

/** @throws as `HttpApp.listen` */
export async function listen(app: HttpApp, { host, port: wanted, rootPath }: ListenSettings): Promise<Listening> {
  const { address, port } = await app.listen(host, wanted)
  return { url: `http://${isIPv6(address) ? `[${address}]` : address}:${port}${rootPath}`, address, port }
}

export interface ServedTogether {
  /** Closes all programs concurrently. A second call waits for the first. */
  close(): Promise<void>
  /** Resolves once closed. Rejects if one of them failed, after the others were closed. */
  closed: Promise<void>
}

/**
 * The programs of one process stop together. If one fails, the others are closed before the process ends, so that none
 * continues alone. The failed one is not closed: another process may own its files by now.
 */
export function servedTogether(
  programs: readonly Pick<ServedProgram, 'failed' | 'close'>[],
  logger: Logger,
): ServedTogether {
  let stopping: Promise<void> | undefined
  let stopped: () => void = () => {}
  const untilStopped = new Promise<void>(resolve => {
    stopped = resolve
  })
  const failures = programs.map(program =>
    program.failed.catch(async error => {
      stopping ??= closeAll(programs.filter(other => other !== program))
      await stopping.catch(reason => logger.error({ err: reason }, 'the other program could not be closed'))
      throw error
    }),
  )
  const closed = Promise.race([untilStopped, ...failures])
  closed.catch(() => undefined) // without a listener it would count as an unhandled rejection
  return {
    close: () => {
      stopping ??= closeAll(programs)
        .then(() => logger.info('closed'))
        .finally(stopped)
      return stopping
    },
    closed,
  }
}

/** Closes all of them, even if one fails. */
async function closeAll(programs: readonly Pick<ServedProgram, 'close'>[]): Promise<void> {
  const outcomes = await Promise.allSettled(programs.map(program => program.close()))
  for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
}

/** The version in package.json. */
export function readVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8'))
  return String(Reflect.get(manifest as object, 'version'))
}
