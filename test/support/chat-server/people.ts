/** A user of the realm, as the stand-in stores them. */
export interface Person {
  id: number
  name: string
  email: string
  /** 100 owner, 200 administrator, 300 moderator, 400 member, 600 guest. */
  role: number
  isBot?: boolean
}

const ADA: Person = { id: 9, name: 'Ada', email: 'ada@example.org', role: 400 }
const GRACE: Person = { id: 10, name: 'Grace', email: 'GRACE@example.org', role: 200 }
const DEPLOY_BOT: Person = { id: 11, name: 'Deployer', email: 'deploy-bot@example.org', role: 400, isBot: true }

export const PEOPLE: readonly Person[] = [ADA, GRACE, DEPLOY_BOT]

/** One of the members of `GET /users`. */
export function toMember({ id, name, email, role, isBot = false }: Person): Record<string, unknown> {
  return {
    user_id: id,
    full_name: name,
    email,
    delivery_email: null,
    role,
    is_owner: role === 100,
    is_admin: role <= 200,
    is_guest: role === 600,
    is_active: true,
    is_bot: isBot,
    bot_type: isBot ? 1 : null,
    timezone: '',
    avatar_url: null,
    date_joined: '2029-01-02T03:04:05.678901+00:00',
  }
}
