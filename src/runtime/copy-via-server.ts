import { AppError } from '../model/app-error.js'

/** A server sends nothing while it copies, which may take minutes for a large file. */
const COPY_SECONDS = 600

/** The requests that ask a server for a copy. */
interface CopyCalls {
  /** Any request with a quick answer. It detects a suspended server, because the copy itself may take long. */
  probe: () => Promise<unknown>
  copy: (idleSeconds: number) => Promise<unknown>
}

/** @throws AppError `unavailable/outcome_unknown` if the server ends before it answers; as the calls */
export async function copyViaServer(path: string, { probe, copy }: CopyCalls): Promise<void> {
  try {
    await probe()
    await copy(COPY_SECONDS)
  } catch (cause) {
    if (!(cause instanceof AppError) || cause.code !== 'connection_lost') throw cause
    const detail = `The server ended before it answered, so ${path} may be incomplete.`
    throw new AppError('unavailable', 'outcome_unknown', detail, { hint: 'Remove it and try again.', cause })
  }
}
