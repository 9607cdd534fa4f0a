import type { Test } from 'tap'
import { chatServer } from '../support/chat-server/chat-server.js'
import { MessageBook } from '../support/chat-server/message-book.js'

/** The chat server that the pages name, with messages in its topic. @returns its address */
export async function documentedChat(t: Test): Promise<string> {
  const book = new MessageBook({ firstId: 8_812 })
  book.say({ stream: 'eng', topic: 'deploys' }, 3, '2.4 is on staging.')
  return (await chatServer(t, { book })).url
}
