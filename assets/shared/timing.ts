/** Wait instead of a frame on a hidden page, which draws none. Milliseconds. */
const UNSEEN_MS = 500

/** Calls back once before the next frame, or soon if the page is hidden. @returns cancels the call */
export function nextFrame(act: () => void): () => void {
  const cancel = () => {
    cancelAnimationFrame(frame)
    clearTimeout(timer)
  }
  const once = () => {
    cancel()
    act()
  }
  const frame = requestAnimationFrame(once)
  const timer = setTimeout(once, UNSEEN_MS)
  return cancel
}

/** Waits for a time, or until the signal is aborted. */
export function pause(ms: number, ended: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    window.setTimeout(resolve, ms)
    ended.addEventListener('abort', () => resolve(), { once: true })
  })
}
