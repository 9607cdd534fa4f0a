/** Each has a class, `label-<colour>`; the word is always next to it. */
export const LABEL_COLOURS = ['red', 'amber', 'green', 'indigo', 'blue', 'plum', 'teal', 'grey'] as const
type LabelColour = (typeof LABEL_COLOURS)[number]

/** Words with a common meaning. Others get a colour computed from their letters. */
const KNOWN: Readonly<Partial<Record<LabelColour, readonly string[]>>> = {
  red: ['bug', 'incident', 'regression', 'security', 'urgent'],
  amber: ['blocked', 'customer', 'infra', 'ops'],
  green: ['release'],
  indigo: ['feature', 'ledger'],
  grey: ['docs', 'question'],
}

/** Red is reserved for known words. */
const OTHERS = LABEL_COLOURS.filter(colour => colour !== 'red')

/** Gives a word the same colour on every device, ignoring case. */
export function labelColour(label: string): LabelColour {
  const word = label.trim().toLowerCase()
  const known = LABEL_COLOURS.find(colour => KNOWN[colour]?.includes(word))
  if (known) return known
  let sum = 0
  for (const letter of word) sum = (sum * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return OTHERS[sum % OTHERS.length] ?? 'grey'
}
