// Cache-Control of reads (state.md §12).
import test from 'ava'
import { cacheDirectives } from '../../../../http/wire/reads/response-cache.js'

const none = { maxAge: undefined, mustRevalidate: false, staleIfError: undefined }

test('no header, and a header of directives that are not known, say nothing', t => {
  for (const header of [undefined, '', 'no-cache', 'public, s-maxage=abc', ' , ,'])
    t.deepEqual(cacheDirectives(header), none, String(header))
})

test('directives are read in any letter case, separated by commas with or without blanks', t => {
  t.deepEqual(cacheDirectives('Max-Age=5,MUST-REVALIDATE , stale-if-error=10'), {
    maxAge: 5,
    mustRevalidate: true,
    staleIfError: 10
  })
  t.deepEqual(cacheDirectives('max-age=-1'), { ...none, maxAge: -1 })
})

test('a max-age or stale-if-error that is no integer is refused', t => {
  for (const header of [
    'max-age=abc',
    'max-age=',
    'max-age',
    'max-age=1.5',
    'max-age="5"',
    'stale-if-error=x',
    'max-age=5, stale-if-error=y'
  ])
    t.throws(() => cacheDirectives(header), { message: /^Invalid Cache-Control header\./ }, header)
})
