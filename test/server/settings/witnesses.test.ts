// Witnesses in the configuration.
import test from 'ava'
import { noteSigner, vkeyOf } from '../../../events/log/evidence/note-keys.js'
import { SettingsError } from '../../../server/settings/settings.js'
import { parseWitness } from '../../../server/settings/witnesses.js'
import { testSettings } from '../../support/server.js'

const vkey = vkeyOf(noteSigner('witness.example/1', Buffer.alloc(32, 1), 'cosignature/v1').key)
const logKey = vkeyOf(noteSigner('witness.example/1', Buffer.alloc(32, 1)).key)
const url = 'https://witness.example/'

test('a witness is its key and its URL', t => {
  t.like(parseWitness(`${vkey} ${url}`), { url, key: { name: 'witness.example/1' } })
  for (const wrong of [
    vkey,
    url,
    `${url} ${vkey}`,
    `${logKey} ${url}`,
    `${vkey} ftp://a/`,
    `${vkey}  ${url}`
  ])
    t.is(parseWitness(wrong), undefined, wrong)
})

test('each witness is named once, and the required number does not exceed theirs', t => {
  const refused = (signing: object): string | undefined =>
    t.throws(() => testSettings(t, { config: { signing } }), { instanceOf: SettingsError })?.message
  t.regex(refused({ witnesses: ['invalid'] }) ?? '', /^signing\.witnesses.* must be a list of "KEY URL"/)
  t.regex(
    refused({ witnesses: [`${vkey} ${url}`, `${vkey} https://other.example/`] }) ?? '',
    /^signing\.witnesses.* must name each witness once/
  )
  t.regex(
    refused({ witnesses: [`${vkey} ${url}`], required_witnesses: 2 }) ?? '',
    /^signing\.required_witnesses.* must not exceed the number of signing\.witnesses/
  )
  t.is(
    testSettings(t, { config: { signing: { witnesses: [`${vkey} ${url}`] } } }).signing.required_witnesses,
    0
  )
})
