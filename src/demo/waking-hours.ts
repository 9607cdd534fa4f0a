import type { Micros } from '../model/timestamp.js'
import { DAY, HOUR, MINUTE } from './durations.js'
import type { Person } from './people.js'
import type { Random } from './random.js'

const OFFICE = { opens: 8.5, closes: 17.8, lunch: 12.25, lunchEnds: 13 } as const
const AWAKE = { wakes: 7, sleeps: 22.5 } as const
/** 1970-01-01 was a Thursday. */
const FIRST_WEEKDAY = 4

/** The first moment from `at` on at which the person is active. */
export function nextActiveTime({ hours, zone }: Person, at: Micros, random: Random): Micros {
  if (hours === 'always') return at
  const there = at + zone * HOUR
  const local = hours === 'office' ? whenInOffice(there, random) : whenAwake(there, random)
  return local - zone * HOUR
}

/** The people who may be active on that day. */
export function activeOn(people: readonly Person[], at: Micros): readonly Person[] {
  return isWeekend(at) ? people.filter(({ hours }) => hours !== 'office') : people
}

/** Saturday and Sunday, UTC. */
export function isWeekend(at: Micros): boolean {
  const weekday = (Math.floor(at / DAY) + FIRST_WEEKDAY) % 7
  return weekday === 0 || weekday === 6
}

function whenInOffice(at: Micros, random: Random): Micros {
  let day = startOfDay(at)
  const hour = (at - day) / HOUR
  if (!isWeekend(day) && hour < OFFICE.closes) {
    if (hour < OFFICE.opens) return inTheMorning(day, random)
    const hungry = hour >= OFFICE.lunch && hour < OFFICE.lunchEnds && random.chance(0.7)
    return hungry ? day + OFFICE.lunchEnds * HOUR + random.integer(0, 40) * MINUTE : at
  }
  do day += DAY
  while (isWeekend(day))
  return inTheMorning(day, random)
}

function inTheMorning(day: Micros, random: Random): Micros {
  return day + OFFICE.opens * HOUR + Math.floor(random.fraction() * 100 * MINUTE)
}

function whenAwake(at: Micros, random: Random): Micros {
  const day = startOfDay(at)
  const hour = (at - day) / HOUR
  if (hour >= AWAKE.wakes && hour < AWAKE.sleeps) return at
  const morning = hour < AWAKE.wakes ? day : day + DAY
  return morning + AWAKE.wakes * HOUR + Math.floor(random.fraction() * 3 * HOUR)
}

function startOfDay(at: Micros): Micros {
  return Math.floor(at / DAY) * DAY
}
