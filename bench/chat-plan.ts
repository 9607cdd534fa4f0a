/** Content of the simulated chat platform. */
export interface ChatPlan {
  stream: string
  topic: string
  messages: number
}

/** Address and login of the simulated chat platform. */
export interface ChatPlace {
  url: string
  email: string
  apiKey: string
}
