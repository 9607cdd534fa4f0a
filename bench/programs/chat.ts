/**
 * The simulated chat platform, as a process of its own. Argument: a `ChatPlan` as JSON. Prints its address and login as
 * JSON once it listens.
 */
import { startChatServer } from '../../test/support/chat-server/chat-server.js'
import type { ChatPlan } from '../chat-plan.js'

const { stream, topic, messages } = JSON.parse(process.argv[2] ?? '') as ChatPlan
const { book, url, email, apiKey } = await startChatServer()
book.say({ stream, topic }, messages)
process.stdout.write(`${JSON.stringify({ url, email, apiKey })}\n`)
