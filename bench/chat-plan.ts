/** Content of the simulated chat platform. */
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
