/** Bounds of one event. Characters are Unicode code points. Source: decisions on the event, sections 2 and 4. */
export const EVENT_LIMITS = {
  dedupeKeyCharacters: 512,
  kindCharacters: 128,
  subjectIdCharacters: 512,
  sourceCharacters: 64,
  depth: 64,
  bytes: 1024 * 1024,
  batchEvents: 5_000,
  batchBytes: 32 * 1024 * 1024,
} as const
