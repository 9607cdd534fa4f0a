/** Entry of the thread of the board's store, the only place where its files are open. */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { AppError } from '../../../model/app-error.js'
import { toFailure } from '../../../model/failure.js'
import type { LossHandling } from '../files/loss-watch.js'
import type { StoreFile, StoreLost } from '../thread/protocol.js'
import { kindsOf, runTaskWorker } from '../thread/task.js'
import { type BoardFiles, type BoardOpened, openBoardFiles } from './board-files.js'

if (parentPort) openInThread(parentPort, workerData)

/** Opens the files of the board in this thread, and carries out the requests that the port receives, until `close`. */
export function openInThread(port: MessagePort, files: BoardFiles): void {
  try {
    let verifyBoth = () => {}
    /** Whether the content of each lost file is saved, by its path. */
    const losses = new Map<string, boolean>()
    const guardOf = ({ path, ownerNonce }: StoreFile): LossHandling => ({
      ownerNonce,
      onLost: (error, isOver) => {
        losses.set(path, isOver)
        const send = (over: boolean) =>
          port.postMessage({ database: path, lost: toFailure(error), isOver: over } satisfies StoreLost)
        if (!isOver) return send(false)
        // The process ends after this, so the content of the other file has to be saved as well.
        verifyBoth()
        if ([...losses.values()].every(Boolean)) send(true)
      },
    })
    const { tasks, close, ...opened } = openBoardFiles(files, guardOf)
    port.postMessage([{ id: 0, result: { kinds: kindsOf(tasks), ...opened } satisfies BoardOpened }])
    verifyBoth = () => {
      try {
        tasks.files.verify.run()
      } catch (error) {
        if (!(error instanceof AppError)) throw error // a loss that was found has been reported
      }
    }
    runTaskWorker(port, tasks, close)
  } catch (error) {
    port.postMessage([{ id: 0, error: toFailure(error) }])
  }
}
