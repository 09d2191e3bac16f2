import { readFileSync, writeFileSync } from 'node:fs'
import test from 'ava'
import { format, resolveConfig } from 'prettier'
import { configurationPage } from '../../../server/settings/document.js'
import { keyByEnv, keyByFlag, keys } from '../../../server/settings/keys.js'

test('docs/reference/settings.md says what the schema says', async t => {
  const path = 'docs/reference/settings.md'
  const page = await format(configurationPage(), { ...(await resolveConfig(path)), parser: 'markdown' })
  if (process.env['ANNALS_TEST_WRITE_DOCS'] !== undefined) writeFileSync(path, page)
  t.is(readFileSync(path, 'utf8'), page)
})

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
