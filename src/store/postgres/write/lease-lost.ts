import { AppError } from '../../../model/app-error.js'

export function leaseLost(): AppError {
  const message = 'Another server does this work now; this one was too slow.'
  return new AppError('conflict', 'lease_lost', message, { hint: 'Nothing has to be done.' })
}
