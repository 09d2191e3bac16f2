import test from 'ava'
import fc from 'fast-check'
import { hasHiddenSecret, hideSecrets, keepSecrets, maskSecrets } from '../../events/check-secrets.js'

const letters = (minLength: number) =>
  fc.string({ unit: fc.constantFrom('a', 'b', 'c', 'd', 'x', 'y', 'z'), minLength, maxLength: 40 })
const digits = fc.string({ unit: fc.constantFrom('0', '1', '2', '3', ' ', ':'), maxLength: 40 })

const definition = fc.record({
  HTTP: letters(1).map(password => `https://user:${password}@host:80/path`),
  Header: fc.dictionary(letters(1), fc.array(letters(1), { minLength: 1, maxLength: 3 })),
  Body: letters(1)
})

test('an output shows neither a secret nor the beginning of one that was cut off at its end', t => {
  fc.assert(
    fc.property(digits, digits, letters(4), fc.nat(), (before, between, secret, at) => {
      const shown = 4 + (at % (secret.length - 3))
      const output = `${before}${secret}${between}${secret.slice(0, shown)}`
      t.notRegex(maskSecrets(output, [{ Body: secret }]).replaceAll('<hidden>', ''), /[abcdxyz]{4}/)
    })
  )
})

test('a definition whose hidden secrets are sent back is the stored definition', t => {
  fc.assert(
    fc.property(definition, stored => {
      const hidden = hideSecrets(stored)
      t.true(hasHiddenSecret(hidden))
      t.deepEqual(keepSecrets(hidden, stored), stored)
    })
  )
})

test('a URL hides its password in every form that a parser accepts, and nothing else', t => {
  const url = (HTTP: string) => hideSecrets({ HTTP }).HTTP
  for (const HTTP of ['http://u:pass@h/', ' http:u:pass@h', 'http:\\\\u:pass@h', 'HTTPS:///:pass@h?a@b'])
    t.is(url(HTTP), HTTP.replace('pass', '<hidden>'))
  for (const HTTP of ['http://h:80/a:b@c', 'http://user@h/', 'http://[::1]:80/?a=b:c@d', ''])
    t.is(url(HTTP), HTTP)
})
