/** A promise that is rejected from elsewhere, or never. */
export function rejectable(): { promise: Promise<never>; reject: (error: unknown) => void } {
  let reject: (error: unknown) => void = () => {}
  const promise = new Promise<never>((_, refuse) => {
    reject = refuse
  })
  promise.catch(() => undefined) // whoever cares listens to the promise; nobody listening is no defect
  return { promise, reject }
}
