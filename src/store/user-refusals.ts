import { AppError } from '../model/app-error.js'

export function nameTaken(): AppError {
  return new AppError('conflict', 'username_taken', 'A user of that name exists; case is ignored.', {
    hint: 'Choose another username.',
  })
}

export function lastAdmin(): AppError {
  return new AppError('conflict', 'last_admin', 'This is the last administrator who can log in.', {
    hint: 'Make another user an administrator first, or configure an admin token.',
  })
}

export function noSuchUser(): AppError {
  return new AppError('not_found', 'not_found', 'There is no such user.', {
    hint: 'List them with `daybook users list`.',
  })
}
