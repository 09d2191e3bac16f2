// Times, issuer and audience of JWTs, and what their claims are mapped to (spec: auth.md §2.2, §2.3).
import test from 'ava'
import fc from 'fast-check'
import type { JwtConfig } from '../../../actors/auth-method/config.js'
import {
  claimsOf,
  faultOfProviderToken,
  faultOfToken,
  identityOf
} from '../../../actors/login/jwt-verifier.js'
import { LoginDenied } from '../../../actors/refusal.js'

const NOW = 1_800_000_000
const config = (parts: Partial<JwtConfig> = {}): JwtConfig => ({
  type: 'jwt',
  source: { kind: 'static', keys: [] },
  boundIssuer: '',
  boundAudiences: [],
  algorithms: [],
  claims: { values: new Map(), lists: new Map() },
  leeways: { expiration: 0, notBefore: 0, clockSkew: 0 },
  ...parts
})

test('missing times follow from the others, with their leeways', t => {
  const isGood = (claims: object, leeways?: Partial<JwtConfig['leeways']>): boolean =>
    faultOfToken(
      { ...claims },
      config({ leeways: { expiration: 0, notBefore: 0, clockSkew: 0, ...leeways } }),
      NOW
    ) === undefined
  t.false(isGood({}))
  t.false(isGood({ iat: 0, exp: 0, nbf: null }))
  t.true(isGood({ exp: NOW + 200 }))
  t.false(isGood({ exp: NOW + 250 }))
  t.true(isGood({ exp: NOW + 250 }, { notBefore: 300e9 }))
  t.true(isGood({ nbf: NOW - 200 }))
  t.false(isGood({ nbf: NOW - 220 }))
  t.true(isGood({ iat: NOW - 500, exp: NOW - 59 }))
  t.false(isGood({ iat: NOW - 500, exp: NOW - 61 }))
  t.true(isGood({ iat: NOW - 500, exp: NOW - 61 }, { clockSkew: 100e9 }))
  t.false(isGood({ iat: NOW - 500, exp: NOW - 1 }, { clockSkew: -1 }))
  t.false(isGood({ iat: NOW + 61, exp: NOW + 200 }))
  t.true(isGood({ iat: NOW + 59.9, exp: NOW + 200 }))
  t.false(isGood({ nbf: NOW - 200 }, { expiration: -1 }))
  t.false(isGood({ nbf: NOW - 200 }, { expiration: 3600 }))
})

test('issuer and audience are compared to the letter', t => {
  const fault = (claims: object, parts: Partial<JwtConfig>): string | undefined =>
    faultOfToken({ iat: NOW, exp: NOW + 9, ...claims }, config(parts), NOW)
  t.is(fault({ iss: 'a' }, { boundIssuer: 'a' }), undefined)
  t.regex(fault({ iss: 'a/' }, { boundIssuer: 'a' }) ?? '', /invalid issuer/)
  t.regex(fault({}, { boundIssuer: 'a' }) ?? '', /invalid issuer/)
  t.is(fault({ aud: ['x', 'b'] }, { boundAudiences: ['a', 'b'] }), undefined)
  for (const aud of [undefined, [], 'A', ['c']])
    t.regex(fault({ aud }, { boundAudiences: ['a', 'b'] }) ?? '', /does not match any bound audience/)
  t.is(fault({ aud: [] }, {}), undefined)
  t.regex(fault({ aud: '' }, {}) ?? '', /no audiences are bound/)
})

test('a provider’s token must say when it ends, and gets no leeway for it', t => {
  const fault = (claims: object) => faultOfProviderToken({ iss: 'i', exp: NOW + 9, ...claims }, 'i', NOW)
  t.is(fault({}), undefined)
  t.truthy(fault({ exp: undefined }))
  t.truthy(fault({ exp: NOW - 1 }))
  t.truthy(fault({ iss: 'i/' }))
  t.is(fault({ nbf: NOW + 59 }), undefined)
  t.truthy(fault({ nbf: NOW + 61 }))
})

test('a payload whose registered claims have other types is no payload', t => {
  for (const text of ['', '[]', 'null', '5', '{"exp":"soon"}', '{"aud":5}', '{"aud":[5]}', '{"iss":5}'])
    t.is(claimsOf(text), undefined, text)
  for (const time of ['1e999', '-1e999', '1e300']) t.is(claimsOf(`{"iat":1,"exp":${time}}`), undefined, time)
  t.deepEqual(claimsOf('{"exp":null,"aud":["a"],"x":5}'), { exp: null, aud: ['a'], x: 5 })
})

const map = (entries: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(entries))
const selected = (claims: object, values: Record<string, string>, lists: Record<string, string> = {}) =>
  identityOf({ ...claims }, { values: map(values), lists: map(lists) })

test('claims are mapped by name or by pointer; numbers are cut, what is missing is left out', t => {
  const { selectable, variables } = selected(
    { a: 'T', b: true, c: 2.75, d: -0.5, e: null, 'x/y': 'literal', deep: { list: [{ '~/': 'found' }] } },
    {
      a: 'a',
      b: 'b',
      c: 'c',
      d: 'd',
      e: 'e',
      f: 'f',
      'x/y': 'g',
      '/deep/list/0/~0~1': 'h',
      '/deep/list/00': 'i',
      '/a/b': 'j'
    }
  )
  t.deepEqual(selectable['value'], { a: 'T', b: 'true', c: '2', d: '0', g: 'literal', h: 'found' })
  t.is(variables.get('value.a'), 't')
  t.is(variables.get('value.e'), '')
})

test('lists hold texts; a single one stands for a list, empty texts are dropped', t => {
  const { selectable } = selected(
    { a: ['x', '', 5, false], b: 'y', c: '' },
    {},
    { a: 'a', b: 'b', c: 'c', d: 'd' }
  )
  t.deepEqual(selectable['list'], { a: ['x', '5', 'false'], b: ['y'], c: [] })
})

test('what can be no text ends the login', t => {
  for (const claim of [[], ['a'], {}, Infinity, -Infinity])
    t.throws(() => selected({ a: claim }, { a: 'a' }), { instanceOf: LoginDenied })
  for (const claim of [[null], [[]], [{}], {}, Infinity, [-Infinity]])
    t.throws(() => selected({ a: claim }, {}, { a: 'a' }), { instanceOf: LoginDenied })
})

test('whatever a payload holds, it is mapped or the login is denied', t => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.string()), (claims, names) => {
      const values = new Map(names.map((name, i) => [name, `n${i}`]))
      try {
        const { variables } = identityOf(claims, { values, lists: values })
        t.is(variables.size, values.size)
      } catch (error) {
        t.true(error instanceof LoginDenied)
      }
    })
  )
})
