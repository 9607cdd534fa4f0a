/** A thread between customers and staff. */
export interface Thread {
  category: { id: number; slug: string }
  title: string
  opening: string
  /** Posts of this thread, in addition to those that all threads share. */
  replies: readonly string[]
}

const ANNOUNCEMENTS = { id: 3, slug: 'announcements' }
const TIMETABLES = { id: 5, slug: 'timetables' }
const TICKETS = { id: 6, slug: 'tickets' }
const TALES = { id: 9, slug: 'tales-from-the-sea' }

export const THREADS: readonly Thread[] = [
  {
    category: ANNOUNCEMENTS,
    title: 'Winter timetable: what changes, and from when',
    opening:
      'From the first of the month the {boat} leaves {harbour} {minutes} minutes later. The list of all changes is below.',
    replies: [
      'Thank you for not moving the school boat this year.',
      'Is the last boat on {weekday} still the last boat?',
    ],
  },
  {
    category: TIMETABLES,
    title: 'The 7:15 from Gull Ness is a myth',
    opening: 'I have stood at {harbour} for {few} mornings now. There is a 7:05, and there is a 7:30. Discuss.',
    replies: [
      'It exists on {weekday}s, in months with a full moon.',
      'It left at 7:12 today. I saw it leave. From the pier.',
      'We looked: the timetable is right, the sign is not. The sign goes.',
    ],
  },
  {
    category: TIMETABLES,
    title: 'How do I read the tide badge?',
    opening: 'Mine says "−0.4 ↗". Is that good? Should I run?',
    replies: [
      'Minus is below the mark, the arrow says which way it goes. No need to run.',
      'Always run. It keeps you warm.',
    ],
  },
  {
    category: TIMETABLES,
    title: '時刻表アプリの夜間モードについて',
    opening: '夜の船橋で使うと画面が明るすぎます。赤い表示モードを付けられませんか？',
    replies: ['いい案ですね。検討します。', '赤い表示、賛成です。', 'A red mode would help our night crew as well.'],
  },
  {
    category: TICKETS,
    title: 'Does a bicycle with a trailer with a dog need three tickets?',
    opening: 'Asking before the {weekday} boat. The dog is small. The trailer is not.',
    replies: [
      'Bicycle: yes. Trailer: yes. Dog: free, if it stays in the trailer.',
      'Ours paid with a look 🐕',
      'The rule is on page {few} of the conditions, I translated it for you: two tickets.',
    ],
  },
  {
    category: TICKETS,
    title: 'تذكرة العودة لا تظهر في التطبيق',
    opening: 'اشتريت تذكرة ذهاب وعودة من {harbour}، ولا أرى إلا تذكرة الذهاب. رقم الحجز عندي إن احتجتم إليه.',
    replies: [
      'شكرا، أرسلت لك رسالة خاصة.',
      'ظهرت الآن بعد التحديث، شكرا لكم.',
      'The fix is in {version}, thank you for telling us.',
    ],
  },
  {
    category: TICKETS,
    title: 'Printed tickets: please keep them',
    opening: 'My grandmother has no phone, and she has been on more boats than all of you.',
    replies: [
      'They stay. Nobody wants to argue with your grandmother.',
      'Paper also works at {harbour}, where nothing else does.',
    ],
  },
  {
    category: TICKETS,
    title: 'Why does `<marquee>Sold out</marquee>` no longer scroll on the kiosk?',
    opening: 'It used to move. I miss it. Is there a setting, like `kiosk.marquee = true && !boring`?',
    replies: [
      'We took it out. On purpose. <b>Sorry</b> — no, not sorry.',
      'R.I.P. `<marquee>`, {few} years of service.',
    ],
  },
  {
    category: TALES,
    title: 'Longest delay you were happy about',
    opening: 'Mine: {minutes} minutes off {harbour}, because of whales 🐋',
    replies: [
      'An hour, fog, and somebody had brought an accordion.',
      'Two days. We got married.',
      'The {boat} waited for me once. I still send them cake.',
    ],
  },
  {
    category: TALES,
    title: 'Name the new boat',
    opening: 'She is {percent} metres long, quiet, and green. Suggestions below, the crew decides.',
    replies: [
      'Thunderbolt, obviously. No? Then "Patience".',
      '「みどり丸」',
      'Буревестник',
      'نورا',
      'Something one can shout in a storm, please.',
      'Heron.',
    ],
  },
]

export const FORUM_REPLIES: readonly string[] = [
  'Same at {harbour}.',
  'I asked the crew of the {boat}: they say it depends on the tide.',
  'For me it works since {version}. Did you update?',
  'Thank you, that helped!',
  'Could you tell us which boat, and on which day?',
  'It was {minutes} minutes late on {weekday}, and nobody said a word.',
  'I have passed that on to the people who make the timetable.',
  'Following, as I have the same question.',
  '+1',
  'That is a fair point. We will try it at {harbour} first.',
  'Opened an issue for it, I will tell you here when it is done.',
  'It is done, and will be in {version}.',
  'Our harbour master says: "that has always been so".',
  'In short: yes. At length: yes, but only {when}.',
  '勉強になりました、ありがとうございます。',
  'شكرا على التوضيح.',
  'Спасибо, всё заработало.',
]
