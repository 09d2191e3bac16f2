// The blocks of a PEM text.
import test from 'ava'
import { parseConfig } from '../../../actors/auth-method/config.js'
import { ConfigError } from '../../../actors/auth-method/config-values.js'
import { pemBlocks } from '../../../actors/auth-method/public-keys.js'
import { pem } from '../../support/stub-provider.js'
import { growth } from '../../support/cost.js'

test('blocks have a beginning and an end of one label', t => {
  const block = (label: string, inside = 'x') => `-----BEGIN ${label}-----${inside}-----END ${label}-----`
  const labels = (text: string): string[] => [...pemBlocks(text)].map(({ label }) => label)
  t.deepEqual(labels(`before ${block('A')} between ${block('B C')} after`), ['A', 'B C'])
  t.deepEqual([...pemBlocks(block('A'))], [{ label: 'A', text: block('A') }])
  t.deepEqual(labels(`-----BEGIN A-----${block('B')}-----END A-----`), ['B'])
  t.deepEqual(labels('-----BEGIN A-----x-----END B-----'), [])
  t.deepEqual(labels('-----END A-----x-----BEGIN A-----'), [])
})

test('the cost of a Config grows with its length, whatever its texts hold', t => {
  const ca = pem('ca.pem')
  const refused = (config: object) => (): void => {
    t.throws(() => parseConfig('kubernetes', { ...config }), { instanceOf: ConfigError })
  }
  const begun = (times: number): void => {
    for (const CACert of ['-----BEGIN CERTIFICATE-----'.repeat(times), '-----BEGIN A-----'.repeat(times)])
      refused({ Host: 'h', CACert, ServiceAccountJWT: 'a.b.c' })()
  }
  t.true(growth(begun, 1000, 4) < 8)
  const slashes = (times: number): void => {
    parseConfig('kubernetes', { Host: `${'/'.repeat(times)}x`, CACert: ca, ServiceAccountJWT: 'a.b.c' })
  }
  t.true(growth(slashes, 5000, 4) < 8)
})
