/** What a stand-in for the chat platform holds. */
export interface ChatPlan {
  stream: string
  topic: string
  messages: number
}

/** How to reach it. */
export interface ChatPlace {
  url: string
  email: string
  apiKey: string
}
