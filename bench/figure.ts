type Unit = 'events/s' | 'requests/s' | 'requests' | 'ms' | 'MB' | '%'

interface Amount {
  value: number
  unit: Unit
}

/** The goal for a value, absolute or as a multiple of the yardstick's value. */
type Goal =
  | { atLeast: number }
  | { atMost: number }
  | { atLeastTimes: number }
  | { atMostTimes: number }
  /** At most this share worse than the yardstick. */
  | { within: number }

/** One measured value and its reference. */
export interface Figure extends Amount {
  what: string
  /** Measured in the same run. */
  yardstick?: Amount & { what: string }
  goal?: Goal
  /** Other observations, for the JSON. */
  details?: unknown
}

/** Value over yardstick. */
export function ratioOf({ value, yardstick }: Figure): number | undefined {
  return yardstick && yardstick.value > 0 ? value / yardstick.value : undefined
}

/** @returns undefined without a goal, or without the yardstick to which the goal refers */
export function isMet(figure: Figure): boolean | undefined {
  const { goal, value, unit } = figure
  const ratio = ratioOf(figure)
  if (!goal) return undefined
  if ('atLeast' in goal) return value >= goal.atLeast
  if ('atMost' in goal) return value <= goal.atMost
  if (ratio === undefined) return undefined
  if ('atLeastTimes' in goal) return ratio >= goal.atLeastTimes
  if ('atMostTimes' in goal) return ratio <= goal.atMostTimes
  return isBetterWhenLess(unit) ? ratio <= 1 + goal.within : ratio >= 1 - goal.within
}

export function goalText(goal: Goal, unit: Unit): string {
  if ('atLeast' in goal) return `≥ ${amountText({ value: goal.atLeast, unit })}`
  if ('atMost' in goal) return `≤ ${amountText({ value: goal.atMost, unit })}`
  if ('atLeastTimes' in goal) return `≥ ${goal.atLeastTimes} ×`
  if ('atMostTimes' in goal) return `≤ ${goal.atMostTimes} ×`
  return isBetterWhenLess(unit) ? `≤ ${1 + goal.within} ×` : `≥ ${1 - goal.within} ×`
}

export function amountText({ value, unit }: Amount): string {
  const digits = Math.abs(value) >= 100 || Number.isInteger(value) ? 0 : Math.abs(value) >= 10 ? 1 : 2
  return `${value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`
}

function isBetterWhenLess(unit: Unit): boolean {
  return unit === 'ms' || unit === 'MB' || unit === '%'
}
