/** How a platform is made to deliver here, with everything that the operator has to enter. */
export interface PlatformSetup {
  source: string
  display_name: string
  /** What the platform has to be given: the webhook's address. */
  url: string
  secret: {
    /** Name of the setting that holds it, or of the one that names a file with it, whichever is set. */
    setting: string
    /** One is there. It is never shown. */
    configured: boolean
    /** Freshly made, while none is there and the platform does not make its own. */
    suggestion?: string
  }
  /** The way through the platform's pages. */
  place: string[]
  /** What the platform's form asks for, in its words, and what belongs there. */
  fields: { name: string; value: string }[]
  /** What to tick, in the platform's words; none where there is nothing to choose. */
  events: string[]
  /** Where the platform shows what was answered to its deliveries. */
  delivery_log: string
  /** What else there is to know or to do. */
  notes: string[]
}
