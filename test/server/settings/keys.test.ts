import test from 'ava'
import { keyByEnv, keyByFlag, keys } from '../../../server/settings/keys.js'

test('every key has a description, a rule, a default, and a variable and flag of its own', t => {
  t.true(keys.length > 50)
  t.is(keyByEnv.size, keys.length)
  t.is(keyByFlag.size, keys.filter(key => key.flag !== undefined).length)
  for (const key of keys) {
    t.regex(key.description, /^[A-Z`].*\.$/, key.path)
    t.true(key.notes.rule !== '')
    t.true(key.value !== undefined || key.notes.otherwise !== undefined, key.path)
    if (key.notes.secret === true) t.is(key.flag, undefined, key.path)
  }
})
