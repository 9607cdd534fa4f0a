import { codeA } from '../../../src/platforms/code-a/adapter.js'
import { adapterFixtures, eventValidator } from '../adapter-fixtures.js'

export const { readFixture, readFixtures, readExpected, normalise, eventOf } = adapterFixtures(codeA, 'code-a')
export const validator = eventValidator('code_a')
