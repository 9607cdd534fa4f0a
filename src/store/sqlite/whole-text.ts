/** The driver cuts a text short there. Source: measured on node-sqlite3-wasm 0.8.60. */
const CUT_SHORT = /[\0\p{Cs}]/u

/** A text as it is looked for: no row has one that would be cut short, and null is equal to nothing. */
export function whole(text: string): string | null {
  return CUT_SHORT.test(text) ? null : text
}
