import { unknownUser } from '../model/accounts/user.js'
import { AppError } from '../model/app-error.js'
import type { StoredUser, UserStore } from '../store/user-store.js'
import { type AccountLog, type Actor, COMMAND } from './account-log.js'
import type { ListedSession, SessionStore } from './session-registry.js'

/** Lists and ends the browser sessions of users, for the users themselves and for admins. */
export class UserSessions {
  constructor(
    private readonly users: Pick<UserStore, 'findById'>,
    private readonly sessions: Pick<SessionStore, 'list' | 'endOf'>,
    private readonly log: AccountLog,
  ) {}

  /** Last used first. @throws AppError `not_found/not_found` */
  async list(userId: string): Promise<ListedSession[]> {
    await this.get(userId)
    return this.sessions.list(userId)
  }

  /** @throws AppError `not_found/not_found` */
  async end(userId: string, sessionId: string, by: Actor = COMMAND): Promise<void> {
    if (await this.endThose(userId, id => id === sessionId, by)) return
    throw new AppError('not_found', 'not_found', 'This user has no such session; it may have ended already.', {
      hint: 'List its sessions to see which there are.',
    })
  }

  /** @param except a session that stays: the one that asks @throws AppError `not_found/not_found` */
  async endAll(userId: string, by: Actor = COMMAND, except?: string): Promise<void> {
    await this.endThose(userId, id => id !== except, by)
  }

  /** @returns whether there were any */
  private async endThose(userId: string, ends: (id: string) => boolean, by: Actor): Promise<boolean> {
    const user = await this.get(userId)
    const count = await this.sessions.endOf(userId, ends)
    if (count > 0) await this.log.addSession({ action: 'ledger.sessions_ended', user }, by)
    return count > 0
  }

  private async get(userId: string): Promise<StoredUser> {
    const user = await this.users.findById(userId)
    if (!user) throw unknownUser()
    return user
  }
}
