/** `128,402` */
export function count(amount: number): string {
  return amount.toLocaleString('en')
}

/** `1 event`, `1,204 events` */
export function counted(amount: number, noun: string, plural = `${noun}s`): string {
  return `${count(amount)} ${amount === 1 ? noun : plural}`
}
