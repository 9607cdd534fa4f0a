import { codeB } from '../../../src/platforms/code-b/adapter.js'
import { adapterFixtures, eventValidator } from '../adapter-fixtures.js'

export const { readFixture, readFixtures, readExpected, normalise, eventOf } = adapterFixtures(codeB, 'code-b')
export const validator = eventValidator('code_b')

export const INSTANCE = { 'x-gitlab-instance': 'https://gitlab.example.org' }
