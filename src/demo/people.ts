/** When a person is active: at work on weekdays, or awake on every day. `always`: a program. */
type Hours = 'office' | 'awake' | 'always'

/** An employee or a customer of the company. Each platform derives its own id for them. */
export interface Person {
  /** Unique. The ids on the platforms are derived from it. */
  number: number
  username: string
  name: string
  hours: Hours
  /** Hours ahead of UTC. */
  zone: number
  /** Role on the forum. */
  role: 'admin' | 'moderator' | 'member'
}

/**
 * The employees of Brindlequay, which makes timetables and tickets for small ferries. All of them are fictional. As
 * with real people, their names have several lengths and scripts. Some also work at weekends.
 */
export const STAFF: readonly Person[] = [
  staff(1, 'ottilie', 'Ottilie Brannock', 1, 'admin'),
  staff(2, 'tomas.v', 'Tomás Verdeluz', 0, 'member', 'awake'),
  staff(3, 'kodama', '霧野 こだま', 9, 'member'),
  staff(4, 'salma', 'سلمى الزورقية', 3, 'moderator', 'awake'),
  staff(5, 'ifeoma', 'Ifeoma Kestrel', 1, 'member'),
  staff(6, 'bartholomew', 'Bartholomew Featherquill-Winterbottom van der Zandweg', 1, 'member'),
  staff(7, 'ludo', 'Ludo Marsh', 0, 'member'),
  staff(8, 'anouk', 'Anouk Tidemand', 1, 'moderator'),
  staff(9, 'vik', 'Vikram Saltwala', 5.5, 'member'),
  staff(10, 'dasha', 'Дарья Парусова', 3, 'member'),
  staff(11, 'wren', 'Wren Abernook 🐦', -5, 'member', 'awake'),
  staff(12, 'kofi', 'Kofi Lanternwell', 0, 'member', 'awake'),
]

/** Customers, who use only the forum. */
export const CUSTOMERS: readonly Person[] = [
  customer(41, 'captain_pell', 'Captain Pell', 1),
  customer(42, 'isla_of_gulls', 'Isla of Gulls', 0),
  customer(43, 'timetable_enjoyer', '', 1),
  customer(44, 'hareonna', '晴れ女', 9),
  customer(45, 'umm_nawaris', 'أم النوارس', 3),
  customer(46, 'zoe_limpet', 'Zoë Limpet', -4),
  customer(47, 'the_second_mate_of_the_third_boat', 'The Second Mate of the Third Boat', 0),
  customer(48, 'old_slip_museum', 'Old Slip Ferry Museum', 1),
]

/** Bots: one in chat, and one on each code host. */
export const CHAT_BOT: Person = bot(71, 'foghorn', 'Foghorn')
export const CODE_A_BOT: Person = bot(72, 'mooring[bot]', 'mooring[bot]')
export const CODE_B_BOT: Person = bot(73, 'project_61_bot_7f3a', 'Lock Keeper')

function staff(
  number: number,
  username: string,
  name: string,
  zone: number,
  role: Person['role'],
  hours: Hours = 'office',
): Person {
  return { number, username, name, hours, zone, role }
}

function customer(number: number, username: string, name: string, zone: number): Person {
  return { number, username, name, hours: 'awake', zone, role: 'member' }
}

function bot(number: number, username: string, name: string): Person {
  return { number, username, name, hours: 'always', zone: 0, role: 'member' }
}

/** An address without a mailbox: the domain is reserved for examples. */
export function emailOf({ username, hours }: Person): string {
  const name = username.replace(/[^a-z0-9_.]/gu, '')
  return hours === 'always' ? `${name}-bot@brindlequay.example` : `${name}@brindlequay.example`
}
