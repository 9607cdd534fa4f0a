/** A conversation in one topic of one stream. */
export interface Talk {
  stream: { id: number; name: string }
  topic: string
  /** Relative frequency. */
  weight: number
  openers: readonly string[]
  replies: readonly string[]
  closers: readonly string[]
}

const ENGINEERING = { id: 11, name: 'engineering' }
const OPERATIONS = { id: 12, name: 'operations' }
const SUPPORT = { id: 13, name: 'support' }
const QUAY = { id: 14, name: 'on the quay' }

/** The topic where bots post. */
export const DEPLOYS = { stream: OPERATIONS, topic: 'deploys' } as const
export const INCIDENTS = { stream: OPERATIONS, topic: 'incidents' } as const

export const TALKS: readonly Talk[] = [
  {
    stream: ENGINEERING,
    topic: 'release 4.2',
    weight: 4,
    openers: [
      'What is left for {version}? I have {few} things on my list.',
      '{service} is ready for {version}, apart from {widget}.',
      'Shall we move {version} to {weekday}? The {boat} has its trial run then.',
      'I wrote the notes for {version}. Please read them as if you were a ferry captain in a hurry.',
      'Who tests {page} on {device} this time?',
    ],
    replies: [
      'I can take {widget}.',
      '{weekday} works for me.',
      'One more: it is wrong {when}. Small fix, I am on it.',
      'The print view is {size} now. Is that a lot?',
      'Could we leave {module} out? It is used by {few} harbours in all.',
      'Merged. The nightly run will tell.',
      'I would rather wait than explain it to {harbour} again 😅',
      '日本語の文言は今日中に見ます。',
      'الترجمة العربية جاهزة عدا صفحة التذاكر.',
      'Tested on {device}: fine, if you are patient.',
      'Notes read. "Fixes things" is not a note 😉',
      'Then it is decided.',
    ],
    closers: ['🎉', 'Thanks all. See you at {version}.', 'Written down on the board.', 'Good. Lunch.'],
  },
  {
    stream: ENGINEERING,
    topic: 'code review',
    weight: 3,
    openers: [
      'Could somebody look at my change in {module}? It is small, I promise.',
      'I am stuck on a review: is it `departure` or `sailing`? We have both.',
      'How do we feel about one file of 900 lines in {module}? Asking for a friend.',
      'The checks of {service} take {minutes} minutes. Anyone against splitting them?',
    ],
    replies: [
      'Looking.',
      'I feel nothing good about that.',
      '`sailing`, everywhere. There is a note on it somewhere.',
      'Half of the time is the install. A cache would do.',
      'Done, {few} remarks, all small.',
      'Would it help to do it together? I am free after {minutes} past.',
      'There was a reason for that in {version}, but I forgot which.',
      'You promised small. It says +1,204 −3.',
      'それ、私もハマりました。',
      'Approved 👍',
    ],
    closers: ['Thank you!', 'Merged.', 'Splitting it, then.', 'спасибо 🙏'],
  },
  {
    stream: ENGINEERING,
    topic: '翻訳 and translations',
    weight: 2,
    openers: [
      '「{harbour}」はカタカナにしますか、それともそのまま？',
      'The string for {widget} is {few} lines long in German. Can it wrap?',
      'ما هي الترجمة المناسبة لكلمة "slip" هنا؟ مرسى أم منحدر؟',
      'Is "next sailing" the next in time or the next that is not full?',
    ],
    replies: [
      'そのままがいいと思います。駅名と同じで。',
      'It wraps, but then the button moves.',
      'مرسى، لأن الركاب يعرفونها هكذا.',
      'The next in time. For the other we say "next with room".',
      'Please no exclamation marks, the crew reads them aloud.',
      'Я бы сократила до двух слов.',
      'I put all three versions into a table, see the pull request.',
      '了解です 🙆',
    ],
    closers: ['決まり！', 'تمام، شكرا.', 'Done, pushed.'],
  },
  {
    ...INCIDENTS,
    weight: 3,
    openers: [
      'Alarms from {service}: errors at {percent} % for {minutes} minutes.',
      '{harbour} says the kiosk shows a blank page.',
      'Is it me, or is {page} slow today?',
      'The tide feed stopped at {minutes} past. {few} harbours have no tides.',
      'Tickets for {boat} are sold twice. Stopping sales there.',
    ],
    replies: [
      'Looking at it.',
      'Same here, since about {minutes} minutes.',
      'The database is bored, so it is not that.',
      'It began with the deploy of {service}. Rolling back.',
      'Rolled back. Watching.',
      'Errors are at {percent} % and falling.',
      'Called {harbour}: they reloaded the kiosk, it works again.',
      'The feed sends an empty list instead of an error. We believed it.',
      'I will write it up, with a test for the empty list.',
      'Do we have to tell the captains?',
      'Told them. Captain Pell says "aye".',
      'こちらからは正常に見えます。',
    ],
    closers: [
      'All quiet again. Thanks, everybody.',
      'Over. {minutes} minutes, nobody missed a boat.',
      '✅ resolved, write-up follows.',
    ],
  },
  {
    ...DEPLOYS,
    weight: 1,
    openers: ['Who deploys {service} today?', 'Please hold deploys of {service}, I am looking at something.'],
    replies: ['Me, after lunch.', 'Holding.', 'Is it safe again?', 'Yes, go on.', 'I wait for the checks.'],
    closers: ['Free again.', '👍'],
  },
  {
    stream: SUPPORT,
    topic: 'lost property',
    weight: 2,
    openers: [
      'A black umbrella on the {boat}, row {few}.',
      'Somebody left a cello on the {boat}. A cello.',
      'A child at {harbour} misses a knitted whale called Gustav 🐳',
      'Found: one left shoe, size {percent}, at {harbour}.',
    ],
    replies: [
      'Asked the crew, nothing yet.',
      'It is in the office at {harbour}. Open until six.',
      'The owner called. Tomorrow, first boat.',
      'That is the third umbrella this week. We could open a shop ☂️',
      'Can you send a picture?',
      'Put it on the shelf with the others.',
      'Whale found! It was in the wheelhouse, steering.',
    ],
    closers: ['Handed back ❤️', 'Case closed.', 'On the shelf, then.'],
  },
  {
    stream: SUPPORT,
    topic: 'refunds',
    weight: 3,
    openers: [
      'Ticket for {boat} on {weekday}: sailing cancelled, no refund after {few} days.',
      'A group of {percent} wants its money back, the weather was "too windy to enjoy".',
      'Two refunds for one ticket went out. Who sees why?',
      'The refund mail says "{weekday}" in the wrong language again.',
    ],
    replies: [
      'The bank says pending. I pushed it again.',
      'By the rules: cancelled is refunded, wind is not.',
      'I wrote to them. They were nice about it.',
      'The job ran twice, see the pipeline from last night.',
      'Fixed in payments, waiting for review.',
      'Could we offer a free crossing on the {boat} instead?',
      'They took it 🙂',
      'Which ticket number? I find {few} that fit.',
    ],
    closers: ['Refunded.', 'Closed, customer is happy.', 'Moved to an issue.'],
  },
  {
    stream: QUAY,
    topic: 'lunch 🍜',
    weight: 2,
    openers: ['Soup or sandwiches?', 'The place at {harbour} has chowder today.', 'Who is in? Table for {few}.'],
    replies: [
      'Soup.',
      'In!',
      'Remote, so: envy.',
      'Sandwiches, always.',
      'I bring mine.',
      '行きたい…',
      'أنا معكم',
      '🍲',
    ],
    closers: ['At noon then.', 'See you there.'],
  },
  {
    stream: QUAY,
    topic: 'صور القوارب · boat pictures',
    weight: 2,
    openers: [
      'The {boat} in the fog this morning 🌫️',
      'صورة من {harbour} عند الغروب 🌅',
      'Look who sat on the rail of the {boat} the whole way: a gull, and it had a ticket.',
      '今朝の{boat}、波が鏡みたいでした。',
    ],
    replies: [
      'Beautiful!',
      'جميلة جدا',
      '最高',
      'New wallpaper.',
      'Is that rust or is it the light?',
      'Какая красота 💙',
    ],
    closers: ['❤️', 'More, please.'],
  },
]
